"""Score sheets: what the text says, how it is aligned, and the picture."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator

import numpy as np
import pytest
from gymnasium.error import DependencyNotInstalled

from tests.envs.play import random_legal
from yatzy_env import reference
from yatzy_env.envs import YatzyEnv
from yatzy_env.envs.render import SheetView, sheet_image, sheet_text
from yatzy_env.games import Games, action_masks, new_games, play
from yatzy_env.reference import names_of, split
from yatzy_env.rules import Ruleset, ruleset
from yatzy_env.rules.names import box_label
from yatzy_env.situation import Situation, batch, single
from yatzy_env.tables import Tables, compile_tables

PAPER = (241, 237, 228)
INK = (29, 39, 51)
HEAD = 160  # height of the part with the dice
MARGIN = 24


def view_of(rules: Ruleset, games: Games) -> SheetView:
    written = tuple(int(points) if points >= 0 else None for points in games.written[0])
    return SheetView(rules, single(compile_tables(rules), games.now, 0), written, int(games.total[0]))


def start(rules: Ruleset, situation: Situation | None = None, seed: int = 11) -> tuple[Tables, Games]:
    tables = compile_tables(rules)
    games = new_games(tables, np.array([seed], np.uint64))
    if situation is not None:
        for here, values in zip(games.now, batch(rules, [situation]), strict=True):
            here[:] = values
    return tables, games


def random_game(rules: Ruleset, situation: Situation | None = None, seed: int = 11) -> Iterator[SheetView]:
    """Every sheet of a game of random legal actions, the full card last."""
    tables, games = start(rules, situation, seed)
    rng = np.random.default_rng(seed)
    yield view_of(rules, games)
    while (mask := action_masks(tables, games.now)[0]).any():
        play(tables, games, np.array([random_legal(rng, mask)]))
        yield view_of(rules, games)


def fresh(rules: Ruleset | str, situation: Situation) -> SheetView:
    """The sheet of an episode that has just started from a situation."""
    return view_of(ruleset(rules), start(ruleset(rules), situation)[1])


def table(text: str) -> dict[str, list[str]]:
    """The cells of each row by its label."""
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in text.splitlines() if line[0] == "|"]
    return {label: cells for label, *cells in rows if cells}


def number(cell: str) -> int:
    """The points a cell holds: none where it is empty, an offer, or filled before the start."""
    found = re.fullmatch(r"(?:secured )?(\d+)", cell)
    return int(found[1]) if found else 0


def box_cells(rules: Ruleset, text: str) -> dict[str, str]:
    rows = table(text)
    return {name: rows[box_label(rules, name)][split(name)[1]] for name in rules.box_names}


def sum_shown(rules: Ruleset, text: str) -> int:
    """Adds up what a reader of the sheet sees: the boxes, the bonuses, the extra bonuses."""
    more = [cell for label, cells in table(text).items() for cell in cells if "onus" in label]
    return sum(map(number, [*box_cells(rules, text).values(), *more]))


def test_every_sheet_of_a_game_is_aligned_and_adds_up(each_ruleset: Ruleset) -> None:
    widths = set()
    for view in random_game(each_ruleset):
        text = sheet_text(view)
        widths |= set(map(len, text.splitlines()))
        assert text.isascii()
        assert len({line.count("|") for line in text.splitlines() if line[0] == "|" and line.count("|") > 2}) == 1
        assert [int(cell) for cell in table(text)["Total"] if cell] == [view.score]
        assert sum_shown(each_ruleset, text) == view.score
        for name, points, cell in zip(
            each_ruleset.box_names, view.written, box_cells(each_ruleset, text).values(), strict=True
        ):
            assert (cell.isdigit() and int(cell) == points) if points is not None else not cell.isdigit(), name
    assert len(widths) == 1
    assert widths.pop() <= 100


def test_offers_are_the_legal_boxes_at_their_plain_points(each_ruleset: Ruleset) -> None:
    for view in random_game(each_ruleset, seed=5):
        roll, filled = view.situation.roll, names_of(each_ruleset, view.situation.filled)
        offers = {name: cell for name, cell in box_cells(each_ruleset, sheet_text(view)).items() if "(" in cell}
        if not roll:
            assert offers == {}
            continue
        assert set(offers) == reference.legal(each_ruleset, filled, roll)
        joker = reference.is_joker(each_ruleset, filled, roll)
        for name, cell in offers.items():
            box, column = split(name)
            points = reference.score(each_ruleset, box, roll, joker) * each_ruleset.columns[column]
            assert re.split(r"[(+)]", cell)[1] == str(points)


def test_filling_a_box_pays_what_was_offered(each_ruleset: Ruleset) -> None:
    tables, games = start(each_ruleset, seed=8)
    while games.now.roll[0] >= 0:
        cells = list(box_cells(each_ruleset, sheet_text(view_of(each_ruleset, games))).values())
        offers = {box: sum(map(int, re.findall(r"\d+", cell))) for box, cell in enumerate(cells) if "(" in cell}
        box = max(offers, key=lambda each: offers[each])
        assert play(tables, games, np.array([tables.keeps + box]))[0] == offers[box]


def test_start_shows_dice_turn_and_throws(each_ruleset: Ruleset) -> None:
    view = next(random_game(each_ruleset))
    lines = sheet_text(view).splitlines()
    assert lines[1].split()[-4:-1] == ["1", "of", str(len(each_ruleset.box_names))]
    assert lines[2].strip("| ") == " ".join(f"[{face}]" for face in view.situation.roll)
    assert lines[3].startswith("| 2 throws left")
    assert ("saved" in lines[3]) == each_ruleset.saved_throws


def test_full_card_shows_the_final_score_and_no_dice(each_ruleset: Ruleset) -> None:
    *_, view = random_game(each_ruleset)
    text = sheet_text(view)
    assert "game over" in text
    assert f"final score {view.score}" in text
    assert not re.search(r"[\[(]", text)
    assert all(cell.isdigit() for cell in box_cells(each_ruleset, text).values())


@pytest.mark.parametrize(
    ("upper", "filled", "state"),
    [
        ((43,), 0b111010, "20 to go"),
        ((42,), 0b111010, "out of reach"),
        ((63,), 0b111110, "secured x"),
        ((20,), 0b111000, "out of reach"),
        ((0,), 0, "63 to go"),
    ],
)
def test_bonus_of_a_given_situation(upper: tuple[int, ...], filled: int, state: str) -> None:
    view = fresh("yatzy", Situation(filled, upper, (1, 2, 3, 4, 6), 1))
    rows = table(sheet_text(view))
    assert rows["Upper sum"] == [f"{upper[0]} / 63"]
    assert rows["Bonus of 50"] == [state]


@pytest.mark.parametrize(("name", "multiple"), [("yatzy", 1), ("triple", 2)])
def test_bonus_is_offered_paid_and_added(name: str, multiple: int) -> None:
    rules = ruleset(name)
    column = multiple - 1
    upper = tuple(60 if each == column else 0 for each in range(len(rules.columns)))
    tables, games = start(rules, Situation(0b111011 << 15 * column, upper, (3, 3, 3, 5, 6), 0))
    box = 15 * column + 2
    assert table(sheet_text(view_of(rules, games)))["Threes"][column] == f"({9 * multiple}+{50 * multiple})"
    play(tables, games, np.array([tables.keeps + box]))
    rows = table(sheet_text(view_of(rules, games)))
    assert rows["Threes"][column] == str(9 * multiple)
    assert rows["Bonus of 50"][column] == f"secured {50 * multiple}"
    assert rows["Total"][-1] == str(59 * multiple)
    assert sum_shown(rules, sheet_text(view_of(rules, games))) == 59 * multiple


def test_bonus_secured_before_the_start_is_not_added() -> None:
    rules = ruleset("triple")
    tables, games = start(rules, Situation(0b111011 << 30, (0, 0, 66), (3, 3, 3, 5, 6), 0))
    play(tables, games, np.array([tables.keeps + 32]))
    rows = table(sheet_text(view_of(rules, games)))
    assert rows["Plain upper sum"][2] == "75 / 63"
    assert (rows["Bonus of 50"][2], rows["Column total"][2], rows["Total"][2]) == ("secured x", "27", "27")


def test_the_longest_cells_keep_the_alignment() -> None:
    rules = ruleset("yatzy").replace(columns=(1, 10), bonus_points=1000)
    tables, games = start(rules, Situation(0b111011 << 15, (0, 54), (3, 3, 3, 3, 3), 0))
    before = sheet_text(view_of(rules, games))
    play(tables, games, np.array([tables.keeps + 17]))
    after = sheet_text(view_of(rules, games))
    assert table(before)["Threes"] == ["(15)", "(150+10000)"]
    assert table(after)["Bonus of 1000"] == ["63 to go", "secured 10000"]
    assert len({len(line) for text in (before, after) for line in text.splitlines()}) == 1


def test_extra_yahtzee_bonus_has_its_row() -> None:
    rules = ruleset("yahtzee")
    tables, games = start(rules, Situation(1 << rules.box_index("yatzy"), (0,), (4, 4, 4, 4, 4), 0, True))
    assert table(sheet_text(view_of(rules, games)))["Fours"] == ["(20+100)"]
    play(tables, games, np.array([tables.keeps + rules.box_index("fours")]))
    rows = table(sheet_text(view_of(rules, games)))
    assert (rows["Fours"], rows["Yahtzee bonus"], rows["Total"]) == (["20"], ["100"], ["120"])
    assert "Yatzy bonus" not in table(sheet_text(next(random_game(ruleset("yatzy")))))


def test_no_bonus_row_where_there_is_no_bonus() -> None:
    rows = table(sheet_text(next(random_game(ruleset("yacht")))))
    assert rows["Upper sum"] == ["0"]
    assert not [label for label in rows if "onus" in label]


def test_columns_stand_side_by_side_and_add_up() -> None:
    *_, view = random_game(ruleset("triple"))
    rows = table(sheet_text(view))
    assert rows[""] == ["x1", "x2", "x3"]
    assert sum(map(int, rows["Column total"])) == view.score
    for column in range(3):
        written = sum(points or 0 for points in view.written[15 * column : 15 * column + 15])
        assert int(rows["Column total"][column]) == written + number(rows["Bonus of 50"][column])


def test_boxes_filled_before_the_start_are_marked() -> None:
    rules = ruleset("yatzy")
    given = Situation(0b1000001, (3,), (1, 2, 3, 4, 6), 1)
    for view in random_game(rules, given):
        text = sheet_text(view)
        cells = box_cells(rules, text)
        assert [name for name, cell in cells.items() if cell == "x"] == ["ones", "one_pair"]
        assert "x: filled before the start" in text
        assert sum_shown(rules, text) == view.score
    assert "x: filled" not in sheet_text(next(random_game(rules)))


@pytest.mark.parametrize(
    ("name", "left", "line"),
    [
        ("maxi-alga", 5, "5 throws left, 3 or more of them saved"),
        ("maxi-alga", 2, "2 throws left, saved if not used"),
        ("maxi-alga", 0, "no throws left, fill a box"),
        ("maxi-danish", 1, "1 throw left"),
    ],
)
def test_throws_left(name: str, left: int, line: str) -> None:
    text = sheet_text(fresh(name, Situation(0b1100, (0,), (1, 2, 3, 4, 5, 6), left)))
    assert text.splitlines()[3].strip("| ") == line


def test_rulesets_of_your_own_are_shown_too() -> None:
    named = ruleset("yatzy").replace(name="a" * 60, columns=(1, 10))
    upper_only = ruleset({"name": "upper", "boxes": ["fives", "sixes"], "bonus_threshold": 30})
    lower_only = ruleset({"name": "lower", "boxes": ["chance"], "dice": 2, "throws": 1, "bonus_points": 0})
    for rules in (named, upper_only, lower_only):
        shapes = set()
        for view in random_game(rules):
            text = sheet_text(view)
            assert len(set(map(len, text.splitlines()))) == 1
            assert sum_shown(rules, text) == view.score
            shapes.add(sheet_image(view).shape)
        assert len(shapes) == 1


def test_pictures_of_a_game_have_one_size_and_keep_inside_their_frames(each_ruleset: Ruleset) -> None:
    views = list(random_game(each_ruleset))
    pictures = [sheet_image(view) for view in (*views[::9], views[-1])]
    assert len({picture.shape for picture in pictures}) == 1
    for picture in pictures:
        height, width, depth = picture.shape
        assert (picture.dtype, depth) == (np.uint8, 3)
        middle = width // 2
        for empty in (
            picture[HEAD : HEAD + MARGIN],
            picture[HEAD:, :MARGIN],
            picture[HEAD:, width - MARGIN :],
            picture[HEAD : height - 2 * MARGIN, middle - MARGIN // 2 : middle + MARGIN // 2],
            picture[height - 46 : height - 36],
            picture[height - 8 :],
        ):
            assert (empty == PAPER).all()
    assert (pictures[0] != pictures[-1]).any()


def test_dice_are_drawn_with_their_pips() -> None:
    def pips(*dice: int) -> int:
        picture = sheet_image(fresh("yatzy", Situation(0, (0,), dice, 2)))
        return int((np.abs(picture[:HEAD].astype(int) - INK).sum(axis=2) < 20).sum())

    one = pips(1, 1, 1, 1, 1) / 5
    assert one > 60
    for dice in ((6, 6, 6, 6, 6), (1, 2, 3, 4, 5), (2, 2, 4, 5, 6)):
        assert pips(*dice) == pytest.approx(one * sum(dice), rel=0.02)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (Situation(0, (0,), (1, 2, 3, 4, 6), 2), Situation(0, (0,), (1, 2, 3, 4, 5), 2)),
        (Situation(0, (0,), (1, 2, 3, 4, 6), 2), Situation(0, (0,), (1, 2, 3, 4, 6), 1)),
        (Situation(0, (0,), (1, 2, 3, 4, 6), 2), Situation(1 << 6, (0,), (1, 2, 3, 4, 6), 2)),
        (Situation(32, (6,), (1, 2, 3, 4, 6), 2), Situation(32, (24,), (1, 2, 3, 4, 6), 2)),
    ],
)
def test_what_changes_can_be_seen(before: Situation, after: Situation) -> None:
    first, again, second = (sheet_image(fresh("yatzy", each)) for each in (before, before, after))
    assert (first == again).all()
    assert (first != second).any()


def test_written_points_can_be_seen() -> None:
    given = fresh("yatzy", Situation(1, (3,), (1, 2, 3, 4, 6), 2))
    known = SheetView(given.rules, given.situation, (3, *given.written[1:]), 0)
    changed = np.argwhere((sheet_image(given) != sheet_image(known)).any(axis=2))
    assert len(changed) > 0
    assert changed[:, 0].min() >= HEAD + MARGIN  # the first row of boxes and the note, nothing of the dice


def test_without_pillow_the_text_remains(monkeypatch: pytest.MonkeyPatch) -> None:
    view = next(random_game(ruleset("yatzy")))
    monkeypatch.setitem(sys.modules, "PIL", None)
    assert "Total" in sheet_text(view)
    with pytest.raises(DependencyNotInstalled, match="pip install"):
        sheet_image(view)


def test_written_must_have_an_entry_per_box() -> None:
    view = next(random_game(ruleset("yatzy")))
    with pytest.raises(ValueError, match="zip"):
        sheet_text(SheetView(view.rules, view.situation, view.written[:-1], 0))


def test_the_environment_renders_its_sheet() -> None:
    env = YatzyEnv("forced", render_mode="ansi")
    env.reset(seed=3)
    env.step(env.tables.keeps)
    text = env.render()
    assert box_cells(env.rules, text)["ones"] == str(env.score)
    assert f"[{env.situation.roll[0]}]" in text
