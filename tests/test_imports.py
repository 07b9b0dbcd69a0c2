"""Imports point one way: no circle between modules or folders, and every part has its place in a contract."""

from __future__ import annotations

import ast
import tomllib
from collections.abc import Iterable, Mapping
from functools import cache
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PACKAGES = ("yatzy_env", "agents", "scripts")


@cache
def modules() -> dict[str, Path]:
    """All modules by dotted name; a package goes by its own."""
    files = [file for package in PACKAGES for file in sorted((ROOT / package).rglob("*.py"))]
    return {".".join(file.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__"): file for file in files}


def imported(source: str, known: Iterable[str]) -> set[str]:
    """The known modules that a source imports anywhere in it: inside functions and for type checkers alone too."""
    found: set[str] = set()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, "imports are absolute"
            full = {f"{node.module}.{alias.name}" for alias in node.names}
            found |= {name if name in known else str(node.module) for name in full}
    return found & set(known)


@cache
def imports() -> dict[str, set[str]]:
    """What each module imports of the others."""
    return {name: imported(file.read_text("utf-8"), modules()) - {name} for name, file in modules().items()}


def circle(graph: Mapping[str, Iterable[str]]) -> list[str]:
    """Some circle of a graph, empty if there is none."""
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        return list(error.args[1])
    return []


def siblings(folder: str) -> dict[str, set[str]]:
    """Which modules and folders of a folder import which others of it, at any depth."""
    graph: dict[str, set[str]] = {}
    for name, others in imports().items():
        if name.startswith(f"{folder}."):
            own = child(folder, name)
            inside = {child(folder, other) for other in others if other.startswith(f"{folder}.")}
            graph[own] = graph.get(own, set()) | inside - {own}
    return graph


def child(folder: str, module: str) -> str:
    """The part of a folder that a module belongs to."""
    return module.removeprefix(f"{folder}.").partition(".")[0]


def folders() -> list[str]:
    return [name for name, file in modules().items() if file.name == "__init__.py"] + ["scripts"]


def test_circles_are_found() -> None:
    known = ["a.b", "a.c", "a"]
    lines = (
        "import a.b\nfrom a import c, nothing",
        "if TYPE_CHECKING:\n    from a.b import Name",
        "def work():\n    from a.c import name",
    )
    assert [imported(text, known) for text in lines] == [{"a.b", "a.c", "a"}, {"a.b"}, {"a.c"}]
    assert circle({"a": ["b"], "b": ["c"], "c": []}) == []
    assert set(circle({"a": ["b"], "b": ["c"], "c": ["b"]})) == {"b", "c"}
    assert len(imports()) > 150
    assert "card" in siblings("yatzy_env")["tables"]


def test_no_modules_import_each_other_in_a_circle() -> None:
    assert circle(imports()) == []


@pytest.mark.parametrize("folder", folders())
def test_no_parts_of_a_folder_import_each_other_in_a_circle(folder: str) -> None:
    assert circle(siblings(folder)) == []


@pytest.mark.parametrize("package", ["yatzy_env", "agents"])
def test_a_contract_gives_every_part_its_place(package: str) -> None:
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["tool"]["importlinter"]
    assert sorted(settings["root_packages"]) == sorted(PACKAGES)
    (contract,) = [each for each in settings["contracts"] if each.get("containers") == [package]]
    layers = [[part.strip() for part in layer.replace(":", "|").split("|")] for layer in contract["layers"]]
    assert sorted(part for layer in layers for part in layer) == sorted(siblings(package))
    place = {part: number for number, layer in enumerate(layers) for part in layer}
    upwards = [(part, other) for part, others in siblings(package).items() for other in others]
    assert [pair for pair in upwards if place[pair[0]] > place[pair[1]]] == []
    assert not any(":" in layer for layer in contract["layers"])  # nothing is exempted from the order within a layer
    assert not any("ignore_imports" in each for each in settings["contracts"])
