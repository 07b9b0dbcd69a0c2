"""Plays against the agents: `play.py yatzy --opponent ppo` opens a page, `--terminal` plays in the terminal."""

from __future__ import annotations

import argparse
import socket
import sys
import threading
import time
import webbrowser
from pathlib import Path
from typing import TYPE_CHECKING

from scripts._cli import add_rules_options, clear_errors, rules_from

if TYPE_CHECKING:
    import uvicorn

    from agents.play.library import Library, RulesetService
    from yatzy_env.rules import Ruleset

PORT = 8137
LOOPBACK = ("127.0.0.1", "localhost", "::1")
_QUICK = 60.0  # seconds; a ruleset that is solved in less is solved at the start without being asked


def make_parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="play.py", description="Play against the agents, with a coach: in the browser, or in the terminal."
    )
    add_rules_options(parser)
    parser.add_argument(
        "--opponent",
        metavar="AGENT",
        action="append",
        help="an agent to play against, any that evaluate.py takes, or win, which plays for the win; may be repeated "
        "(default: the strongest of ppo and the baselines there is)",
    )
    parser.add_argument(
        "--trust",
        action="store_true",
        help="load models on no record; those of SB3 (.zip) are pickles and can run code",
    )
    parser.add_argument("--port", type=int, help=f"port of the server, 0 for any free one (default: {PORT})")
    parser.add_argument("--host", default=LOOPBACK[0], help="address to listen at (default: this machine alone)")
    parser.add_argument("--no-browser", action="store_true", help="start the server without opening the page")
    parser.add_argument("--terminal", action="store_true", help="play in the terminal instead")
    parser.add_argument("--name", default="you", help="with --terminal: your name (default: you)")
    parser.add_argument(
        "--coach", choices=("off", "hints", "full"), default="hints", help="with --terminal: the coach (default: hints)"
    )
    parser.add_argument("--data", type=Path, metavar="FILE", help="where games are kept (default: your data folder)")
    return parser


def open_socket(host: str, port: int) -> socket.socket:
    """Binds a port.

    Raises:
        YatzyError: if that is impossible; for a busy port it names the next free one.
    """
    from yatzy_env.errors import YatzyError

    if not 0 <= port < 65536:
        raise YatzyError(f"--port {port}; allowed: 0 to 65535")
    try:
        return _bind(host, port)
    except PermissionError:
        raise YatzyError(f"--port {port} is not yours to use; allowed: 1024 to 65535") from None
    except socket.gaierror as error:
        raise YatzyError(f"--host {host}: {error.strerror}") from None
    except OSError as error:
        for other in range(port + 1, min(port + 100, 65536)):
            try:
                _bind(host, other).close()
            except OSError:
                continue
            raise YatzyError(f"port {port} is busy; port {other} is free: --port {other}") from None
        raise YatzyError(f"--host {host} --port {port}: {error.strerror}") from None


def _bind(host: str, port: int) -> socket.socket:
    family, kind, number, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
    opened = socket.socket(family, kind, number)
    try:
        opened.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        opened.bind(address)
        opened.listen(128)
    except OSError:
        opened.close()
        raise
    return opened


def pick_opponents(service: RulesetService, wanted: list[str] | None, trust: bool = False) -> tuple[str, ...]:
    """The opponents asked for, or the strongest there is that is no oracle.

    Raises:
        YatzyError: if one of them cannot play the ruleset.
    """
    from agents.registry import NAMES

    if wanted is None:
        there = [one.name for one in service.availability() if one.available and one.name != "optimal"]
        return ("ppo",) if "ppo" in there else (there[-1],)
    for name in wanted:
        if name == "optimal" and service.can_be_solved and not service.is_solved:
            from yatzy_env.solver import solve

            rules, seconds = service.rules, service.cost.seconds
            print(f"solving {rules.name} first: about {seconds:.0f} s", file=sys.stderr, flush=True)
            solve(rules)
        if name in NAMES:
            service.agent(name)
        else:
            service.admit(name, trust)
    return tuple(wanted)


def serve(args: argparse.Namespace, library: Library, service: RulesetService, opponents: tuple[str, ...]) -> None:
    """Runs the server until it is interrupted."""
    import uvicorn

    from agents.play.config import Config
    from agents.play.server import create_app
    from agents.play.store import Store, default_file

    opened = open_socket(args.host, PORT if args.port is None else args.port)
    port = opened.getsockname()[1]
    own_machine = args.host in LOOPBACK
    hosts = frozenset(LOOPBACK) if own_machine else frozenset({*LOOPBACK, args.host.lower()})
    config = Config(
        ruleset=service.rules.name,
        opponents=opponents,
        hosts=None if args.host in ("0.0.0.0", "::", "") else hosts,
        solving=own_machine,
    )
    if service.can_be_solved and not service.is_solved and service.cost.seconds < _QUICK:
        service.start_solving()
    data = args.data or default_file()
    app = create_app(Store(data), library, config)
    server = uvicorn.Server(
        uvicorn.Config(app, log_level="warning", access_log=False, server_header=False, limit_concurrency=500)
    )
    shown = f"[{args.host}]" if ":" in args.host else args.host
    url = f"http://{shown}:{port}/"
    threading.Thread(target=_announce, args=(server, url, data, not args.no_browser), daemon=True).start()
    server.run(sockets=[opened])


def _announce(server: uvicorn.Server, url: str, data: Path, browser: bool) -> None:
    """Says where the page is once the server answers, and opens it."""
    while not server.started:
        time.sleep(0.02)
    print(f"Playing at {url}\nGames are kept in {data}; Ctrl-C ends the server.", flush=True)
    if browser:
        webbrowser.open(url)


def own_rules(args: argparse.Namespace) -> tuple[Ruleset, str | None]:
    """The ruleset to play, by a name that no other one has here, and the one of the catalogue that it was made from."""
    from yatzy_env.rules import CATALOGUE

    rules = rules_from(args)
    same = [name for name, known in CATALOGUE.items() if known.digest == rules.digest]
    if rules.name in same:
        return rules, None
    base = None if same else next((name for name in (args.ruleset, rules.name) if name in CATALOGUE), None)
    return (rules.replace(name="custom") if rules.name in CATALOGUE else rules), base


def main() -> None:
    args = make_parser().parse_args()
    with clear_errors():
        from agents.play.library import Library
        from agents.play.service import GameService
        from agents.play.store import Store, default_file
        from yatzy_env.rules import CATALOGUE

        own, base = own_rules(args)
        library = Library([(own, base)] if own.name not in CATALOGUE else [])
        service = library.service(own.name)
        opponents = pick_opponents(service, args.opponent, args.trust)
        if args.terminal:
            from agents.play.terminal import play

            play(service, opponents, args.name, args.coach, GameService(Store(args.data or default_file()), library))
        else:
            serve(args, library, service, opponents)


if __name__ == "__main__":
    main()
