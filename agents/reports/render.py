"""Data in, template out: pages and cards from the files in `templates/`. Every value in a page of HTML is escaped."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined, select_autoescape

from agents.markdown import table
from agents.models.record import listed
from agents.reports.text import number, percent, with_error, words

TEMPLATES = Path(__file__).parent / "templates"


def render(name: str, folder: Path = TEMPLATES, **values: object) -> str:
    """Fills a template.

    Args:
        name: the file; one for HTML ends in `.html.j2`.
        folder: where it is; what it includes may be in `agents/reports/templates` too.
        values: what it shows.
    """
    return _environment(folder).get_template(name).render(values)


@cache
def _environment(folder: Path) -> Environment:
    made = Environment(
        loader=FileSystemLoader([folder, TEMPLATES]),
        autoescape=select_autoescape(["html.j2"]),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    made.globals |= {"table": table, "with_error": with_error}
    made.filters |= {"number": number, "percent": percent, "listed": listed, "words": words}
    return made
