"""Solutions on disk: what comes back, what is refused, and the cache."""

from __future__ import annotations

import io
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.solver.helpers import sampled, solved
from yatzy_env import files
from yatzy_env.errors import SolutionError
from yatzy_env.rules import Ruleset, ruleset
from yatzy_env.situation import Situation
from yatzy_env.solver import Solution, solve, store

RULES = ruleset("forced")


@pytest.fixture
def saved(tmp_path: Path) -> Path:
    path = tmp_path / "folder" / "forced.npz"
    solved(RULES).save(path)
    return path


def change(path: Path, **members: Any) -> None:
    """Rewrites a file with some members changed, or left out where None."""
    with np.load(path) as old:
        kept = {key: old[key] for key in old.files} | members
    with path.open("wb") as file:
        np.savez(file, **{key: value for key, value in kept.items() if value is not None})


def change_header(path: Path, **fields: Any) -> None:
    """Rewrites a file with another header and a digest that fits it."""
    header, values = store.read(path)
    text = json.dumps(header | fields).encode()
    change(path, header=np.frombuffer(text, np.uint8), digest=store._digest(text, values))


def refused(path: Path) -> str:
    """The one line with which a file is refused."""
    with pytest.raises(SolutionError) as caught:
        Solution.load(path)
    assert "\n" not in str(caught.value)
    assert str(path) in str(caught.value)
    return str(caught.value)


@pytest.mark.parametrize("name", ["forced", "yahtzee", "yacht"])
def test_what_was_saved_comes_back(name: str, tmp_path: Path) -> None:
    solution = solved(ruleset(name))
    solution.save(tmp_path / "solution")
    loaded = Solution.load(tmp_path / "solution")
    assert not solution.from_cache
    assert loaded.from_cache
    for attribute in ("rules", "expected_score", "cards", "cpu_seconds", "seconds", "digest"):
        assert getattr(loaded, attribute) == getattr(solution, attribute), attribute
    now = sampled(solution.rules, 500)
    assert np.array_equal(loaded.batch_action_values(now), solution.batch_action_values(now), equal_nan=True)


def test_saving_leaves_one_file_and_replaces_it(saved: Path) -> None:
    assert [path.name for path in saved.parent.iterdir()] == ["forced.npz"]
    solved(ruleset("yacht").replace(order="top-down")).save(saved)
    assert Solution.load(saved).rules.name == "yacht"
    assert [path.name for path in saved.parent.iterdir()] == ["forced.npz"]


def test_no_pickle_is_read(saved: Path) -> None:
    change(saved, values=np.array([{}], object))
    assert "damaged or not a solution" in refused(saved)


def test_a_missing_file(tmp_path: Path) -> None:
    assert "does not exist" in refused(tmp_path / "nothing.npz")


def test_a_folder(tmp_path: Path) -> None:
    assert "cannot be read" in refused(tmp_path)


@pytest.mark.parametrize("content", [b"", b"hello", b"PK\x03\x04", b"\x93NUMPY\x01\x00", b"\x00" * 1000])
def test_files_that_are_something_else(content: bytes, tmp_path: Path) -> None:
    path = tmp_path / "strange"
    path.write_bytes(content)
    assert "damaged or not a solution" in refused(path)


def test_a_plain_array(tmp_path: Path) -> None:
    path = tmp_path / "array.npy"
    np.save(path, np.zeros(10))
    assert "damaged or not a solution" in refused(path)


def test_any_truncation_is_noticed(saved: Path) -> None:
    whole = saved.read_bytes()
    for length in np.linspace(0, len(whole) - 1, 40, dtype=int):
        saved.write_bytes(whole[:length])
        refused(saved)


def test_any_flipped_byte_of_the_contents_is_noticed(saved: Path) -> None:
    whole = saved.read_bytes()
    buffer = io.BytesIO(whole)
    with np.load(buffer) as members:
        contents = [members[key].tobytes() for key in members.files]
    rng = np.random.default_rng(1)
    for content in contents:
        start = whole.index(content)
        for place in start + rng.integers(len(content), size=10):
            damaged = bytearray(whole)
            damaged[place] ^= 0x10
            saved.write_bytes(damaged)
            refused(saved)


@pytest.mark.parametrize("member", ["header", "values", "digest"])
def test_a_missing_member(member: str, saved: Path) -> None:
    change(saved, **{member: None})
    assert "damaged or not a solution" in refused(saved)


def test_values_of_another_kind(saved: Path) -> None:
    _, values = store.read(saved)
    change(saved, values=values.astype(np.float32))
    assert "digest" in refused(saved)


def test_another_format(saved: Path) -> None:
    change_header(saved, format=store.FORMAT + 1)
    assert f"format {store.FORMAT + 1}" in refused(saved)
    change_header_without_check(saved, format=None)
    assert "damaged or not a solution" in refused(saved)


def change_header_without_check(path: Path, **fields: Any) -> None:
    """As `change_header`, for files that `store.read` refuses already."""
    with np.load(path) as members:
        header, values = json.loads(members["header"].tobytes()), members["values"]
    text = json.dumps(header | fields).encode()
    change(path, header=np.frombuffer(text, np.uint8), digest=store._digest(text, values))


@pytest.mark.parametrize(
    "fields",
    [
        {"ruleset": {"boxes": ["nonsense"]}},
        {"ruleset": None},
        {"seconds": None},
        {"cards": 3},
        {"expected_score": 150.0},
        {"ruleset": ruleset("triple").model_dump(mode="json")},
        {"ruleset": ruleset("yatzy").model_dump(mode="json")},
    ],
)
def test_headers_that_do_not_fit_the_values(fields: dict[str, Any], saved: Path) -> None:
    change_header(saved, **fields)  # with a digest that fits: only a forger makes such a file
    with pytest.raises(SolutionError):
        Solution.load(saved).card_values([0], [0])


def test_a_folder_that_cannot_be_written(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(SolutionError, match="cannot be written"):
        solved(RULES).save(tmp_path / "file" / "solution.npz")


def test_the_cache_is_used(tmp_path: Path) -> None:
    first = solve(RULES, cache_dir=tmp_path)
    second = solve(RULES, cache_dir=tmp_path)
    assert (first.from_cache, second.from_cache) == (False, True)
    assert (first.seconds, first.digest) == (second.seconds, second.digest)
    assert [path.name for path in tmp_path.iterdir()] == [f"{RULES.digest[:16]}-v{store.FORMAT}.npz"]
    assert not solve(RULES, cache=False, cache_dir=tmp_path).from_cache


def test_no_cache_writes_nothing(tmp_path: Path) -> None:
    solve(RULES, cache=False, cache_dir=tmp_path)
    assert not list(tmp_path.iterdir())


def test_a_ruleset_keeps_its_name(tmp_path: Path) -> None:
    solve(RULES, cache_dir=tmp_path)
    renamed = RULES.replace(name="my-own")
    solution = solve(renamed, cache_dir=tmp_path)
    assert solution.from_cache
    assert solution.rules == renamed
    assert len(list(tmp_path.iterdir())) == 1


@pytest.mark.parametrize("rules", [RULES, ruleset("yacht")])
def test_where_the_cache_is(rules: Ruleset, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "user"))
    monkeypatch.delenv(files.CACHE_VARIABLE, raising=False)
    name = f"{rules.digest[:16]}-v{store.FORMAT}.npz"
    assert store.cache_file(rules).parts[-3:] == ("yatzy-env", "solutions", name)
    monkeypatch.setenv(files.CACHE_VARIABLE, str(tmp_path / "variable"))
    assert store.cache_file(rules) == tmp_path / "variable" / name
    assert store.cache_file(rules, tmp_path / "argument") == tmp_path / "argument" / name


def test_a_damaged_file_in_the_cache_is_an_error_that_says_what_to_do(tmp_path: Path) -> None:
    solve(RULES, cache_dir=tmp_path)
    (path,) = tmp_path.iterdir()
    path.write_bytes(path.read_bytes()[:-100])
    with pytest.raises(SolutionError, match="delete the file, or pass --no-cache") as caught:
        solve(RULES, cache_dir=tmp_path)
    assert str(path) in str(caught.value)
    assert "\n" not in str(caught.value)
    assert path.exists()
    assert not solve(RULES, cache=False, cache_dir=tmp_path).from_cache


def test_another_solution_under_the_name_in_the_cache(tmp_path: Path) -> None:
    solved(RULES.replace(bonus_threshold=50)).save(store.cache_file(RULES, tmp_path))
    with pytest.raises(SolutionError, match="other rules"):
        solve(RULES, cache_dir=tmp_path)


def test_a_cache_that_cannot_be_written_does_not_cost_the_answer(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.warns(RuntimeWarning, match="not cached"):
        solution = solve(RULES, cache_dir=tmp_path / "file" / "folder")
    assert solution.digest == solved(RULES).digest


def test_a_stored_solution_is_checked_against_its_ruleset_when_it_is_asked(tmp_path: Path) -> None:
    path = tmp_path / "short.npz"
    solution = solve("forced", cache=False)
    header = {
        "ruleset": solution.rules.model_dump(mode="json"),
        "cards": solution.cards,
        "expected_score": solution.expected_score,
        "cpu_seconds": 0.0,
        "seconds": 0.0,
    }
    store.write(path, header, solution._values.whole("")[-5:])  # a valid digest over too few values
    loaded = Solution.load(path)
    with pytest.raises(SolutionError, match="holds 5 values"):
        loaded.value(Situation(roll=(1, 2, 3, 4, 5)))
    store.write(path, header | {"expected_score": 1.0}, solution._values.whole(""))
    with pytest.raises(SolutionError, match="figures do not match"):
        Solution.load(path)
