"""What the page is shown: sessions, advice and reviews as the models of `contract`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from agents.play import contract
from agents.play.chances import Chances
from agents.play.coach import Choice, Figure, balance, keep_faces, legal_actions, shown_loss
from agents.play.marks import TIE, Marks
from agents.play.session import Session
from agents.play.steps import Entry, names_of
from yatzy_env.card import is_joker, open_upper_points
from yatzy_env.rules import Ruleset
from yatzy_env.tables import compile_tables

LOG_IN_STATE = 60
MOST_LESSONS = 10


def par_of(rules: Ruleset, face: int) -> float | None:
    """An upper box's share of the bonus threshold; None without bonus."""
    if not rules.bonus_points:
        return None
    faces = {int(number) for number in compile_tables(rules).card.face if number}
    return rules.bonus_threshold * face / sum(faces)


def seats_of(session: Session) -> list[contract.Seat]:
    """Who sits where."""
    card_of = {seat: card for card, team in enumerate(session.setup.teams) for seat in team}
    return [
        contract.Seat(
            index=index,
            kind="person" if seat.agent is None else "agent",
            name=seat.name,
            agent=seat.agent,
            card=card_of[index],
        )
        for index, seat in enumerate(session.setup.seats)
    ]


def card_of(session: Session, number: int, hidden: bool) -> contract.Card:
    """A card; `hidden` leaves its totals out."""
    card, games, names = session.tables.card, session.games, session.rules.box_names
    written = games.written[number].tolist()
    upper = [_upper(session, number, column) for column in range(card.columns)]
    columns = [
        sum(points for box, points in enumerate(written) if points > 0 and card.column[box] == column) + part.bonus
        for column, part in enumerate(upper)
    ]
    total = int(games.total[number])
    is_over = games.now.filled[number] == card.all_boxes
    saved = 0
    if session.tables.saved_throws and not is_over:
        made = throws_made(session) if number == session.card else 0
        saved = int(games.now.throws_left[number]) + (not made) - max(session.tables.throws - made, 0)
    return contract.Card(
        index=number,
        seats=list(session.setup.teams[number]),
        cells=[
            contract.Cell(box=name, points=points if points >= 0 else None)
            for name, points in zip(names, written, strict=True)
        ],
        upper=upper,
        column_totals=None if hidden else columns,
        extra=total - sum(columns),
        saved_throws=saved,
        total=None if hidden else total,
    )


def throws_made(session: Session) -> int:
    """Throws made in the turn that goes on, 0 before its first."""
    if session.phase == "finished" or not session.dice:
        return 0
    return int(session.games.throw[session.card]) + (session.phase == "decide")


def _upper(session: Session, number: int, column: int) -> contract.Upper:
    card, now = session.tables.card, session.games.now
    total, filled = int(now.upper[number, column]), int(now.filled[number])
    if not card.bonus_threshold:
        return contract.Upper(sum=total, par=None, ahead=None, status="none", missing=0, bonus=0)
    closed = [par_of(session.rules, face) or 0.0 for face in range(1, 7) if card.upper_box[column, face] & filled]
    missing = max(card.bonus_threshold - total, 0)
    in_reach = missing <= open_upper_points(card, filled, column)
    return contract.Upper(
        sum=total,
        par=sum(closed),
        ahead=total - sum(closed),
        status="secured" if not missing else ("open" if in_reach else "out_of_reach"),
        missing=missing,
        bonus=0 if missing else card.bonus_points * int(card.multiplier[column]),
    )


def joker_now(session: Session) -> bool:
    """Whether the dice on the table are a joker."""
    if session.phase != "decide":
        return False
    alike = session.tables.alike[session.games.now.roll[session.card]]
    return bool(is_joker(session.tables.card, session.games.now.filled[session.card], alike))


def box_choice(session: Session, box: int) -> contract.BoxChoice:
    """What filling a legal box would do now."""
    tables, card, roll = session.tables, session.tables.card, session.games.now.roll[session.card]
    joker = joker_now(session)
    plain = int(tables.points[int(joker), box, roll])
    return contract.BoxChoice(
        box=session.rules.box_names[box],
        points=plain * int(card.multiplier[card.column[box]]),
        gain=int(session.gains()[box]),
        is_zero=plain == 0,
        is_joker=joker and plain != int(tables.points[0, box, roll]),
    )


def choices_of(session: Session) -> contract.Choices | None:
    """What may be done now; None unless a decision is awaited."""
    if session.phase != "decide":
        return None
    boxes = [box_choice(session, int(box)) for box in np.flatnonzero(session.gains() >= 0)]
    may_throw = session.situation.throws_left > 0
    lone = boxes[0].box if len(boxes) == 1 and not may_throw else None
    return contract.Choices(may_throw=may_throw, boxes=boxes, lone_box=lone, is_joker=joker_now(session))


def state_of(
    game_id: str,
    session: Session,
    *,
    coach: contract.Level,
    hidden_totals: bool,
    source: contract.Source,
    figures: Sequence[Figure] | None,
    marks: Marks | None,
) -> contract.GameState:
    """A game as the page shows it.

    Args:
        game_id: its id.
        session: the game.
        coach: level of the coach.
        hidden_totals: whether totals are hidden while it goes on.
        source: where the coach's figures come from.
        figures: figures of the log, None to leave them out.
        marks: limits of the marks.
    """
    finished = session.phase == "finished"
    hidden = hidden_totals and not finished
    start = max(len(session.entries) - LOG_IN_STATE, 0)
    seat = session.setup.seats[session.seat]
    waiting = session.phase == "enter"
    return contract.GameState(
        id=game_id,
        ruleset=session.rules.name,
        version=session.version,
        created=session.setup.created,
        phase=session.phase,
        turn=None
        if finished
        else contract.Turn(
            seat=session.seat,
            card=session.card,
            number=session.turn + 1,
            of=session.tables.card.boxes,
            is_agent=seat.agent is not None,
        ),
        seats=seats_of(session),
        cards=[card_of(session, number, hidden) for number in range(len(session.setup.teams))],
        dice=[face for face in session.dice if face] if waiting else list(session.dice),
        thrown=[] if waiting else list(session.thrown),
        held=[face for face in session.dice if face] if waiting else [],
        awaited=session.awaited,
        throw=throws_made(session),
        throws_left=0 if finished else int(session.games.now.throws_left[session.card]) + (not session.dice),
        choices=choices_of(session),
        can_undo=session.can_undo,
        coach=coach,
        real_dice=session.setup.real_dice,
        hidden_totals=hidden_totals,
        source=source,
        seed_digest=session.setup.digest,
        seed=session.setup.seed if finished else None,
        log=log_of(session, figures, marks, start, LOG_IN_STATE),
        log_length=len(session.entries),
        result=result_of(session) if finished else None,
    )


def result_of(session: Session) -> contract.Result:
    """How a finished game ended."""
    totals = session.games.total.tolist()
    return contract.Result(totals=totals, winners=[card for card, total in enumerate(totals) if total == max(totals)])


def log_of(
    session: Session, figures: Sequence[Figure] | None, marks: Marks | None, start: int, most: int
) -> list[contract.LogEntry]:
    """Entries of the log from `start` on, with figures where they are given."""
    names, rules = names_of(session.rules), session.rules
    return [
        _log_entry(rules, names, number, entry, figures[number] if figures is not None else None, marks)
        for number, entry in enumerate(session.entries[start : start + most], start)
    ]


def _log_entry(
    rules: Ruleset, names: Sequence[str], number: int, entry: Entry, figure: Figure | None, marks: Marks | None
) -> contract.LogEntry:
    decided = entry.action is not None
    loss = shown_loss(figure.loss) if figure is not None and decided else None
    return contract.LogEntry(
        index=number,
        seat=entry.seat,
        card=entry.card,
        turn=entry.turn + 1,
        kind=entry.kind,
        dice=list(entry.dice),
        thrown=list(entry.thrown),
        keep=keep_faces(rules, entry.action) if entry.action is not None else None,
        box=names[entry.action].removeprefix("score ") if entry.kind == "score" and entry.action is not None else None,
        points=entry.points,
        gain=entry.gain,
        luck=figure.luck if figure is not None and not decided else None,
        loss=loss,
        mark=marks.mark(loss) if marks is not None and loss is not None and entry.choices > 1 else None,
        best=names[figure.best] if figure is not None and figure.best is not None else None,
    )


def limits_of(marks: Marks | None) -> contract.MarkLimits | None:
    """The limits of the marks."""
    return contract.MarkLimits(tie=TIE, small=marks.small, big=marks.big) if marks is not None else None


def option_of(session: Session, choice: Choice, marks: Marks | None, chances: Chances | None) -> contract.Option:
    """A choice as the page shows it."""
    why = []
    if chances is not None and choice.chances is not None:
        why = [
            contract.Chance(
                what="bonus" if kind == "bonus" else "box",
                box=None if kind == "bonus" else kind,
                column=0,
                probability=min(max(float(choice.chances[number]), 0.0), 1.0),
            )
            for number, kind in enumerate(chances.kinds)
        ]
    scores = choice.action >= session.tables.keeps
    return contract.Option(
        type="score" if scores else "keep",
        name=choice.name,
        keep=keep_faces(session.rules, choice.action),
        box=choice.name.removeprefix("score ") if scores else None,
        gain=choice.gain,
        expected=choice.expected,
        loss=choice.loss,
        weight=choice.weight,
        is_best=choice.is_best,
        mark=marks.mark(choice.loss) if marks is not None and choice.loss is not None else None,
        chances=why,
    )


def review_of(session: Session, figures: Sequence[Figure], optimum: float, marks: Marks | None) -> contract.Review:
    """The balance of a finished game."""
    cards = []
    for card, seats in enumerate(session.setup.teams):
        own = balance(session.entries, figures, "card", card)
        score = int(session.games.total[card])
        series = [contract.SeriesPoint(entry=-1, turn=0, kind="start", expected=optimum)]
        series += [
            contract.SeriesPoint(entry=number, turn=entry.turn + 1, kind=entry.kind, expected=figures[number].expected)
            for number, entry in enumerate(session.entries)
            if entry.card == card
        ]
        cards.append(
            contract.CardReview(
                card=card,
                seats=list(seats),
                score=score,
                luck=own.luck,
                loss=own.loss,
                luck_adjusted=score - own.luck,
                real_decisions=len(own.losses),
                mean_loss=own.mean_loss,
                marks=_tally(own.losses, marks),
                series=series,
            )
        )
    seats_found = []
    for seat in range(len(session.setup.seats)):
        own = balance(session.entries, figures, "seat", seat)
        seats_found.append(
            contract.SeatReview(
                seat=seat,
                loss=own.loss,
                decisions=own.decisions,
                real_decisions=len(own.losses),
                mean_loss=own.mean_loss,
                marks=_tally(own.losses, marks),
            )
        )
    return contract.Review(
        source="exact",
        optimum=optimum,
        marks=limits_of(marks),
        cards=cards,
        seats=seats_found,
        result=result_of(session),
    )


def _tally(losses: Sequence[float], marks: Marks | None) -> contract.Tally:
    given = [marks.mark(shown_loss(loss)) for loss in losses] if marks is not None else []
    return contract.Tally(fine=given.count("fine"), small=given.count("small"), big=given.count("big"))


def worst_decisions(session: Session, figures: Sequence[Figure]) -> list[int]:
    """The log indices of the persons' worst decisions, worst first."""
    found = [
        (figure.loss, number)
        for number, (entry, figure) in enumerate(zip(session.entries, figures, strict=True))
        if figure.loss > TIE and session.setup.seats[entry.seat].agent is None
    ]
    return [number for _, number in sorted(found, key=lambda one: (-one[0], one[1]))[:MOST_LESSONS]]


def before_decisions(session: Session, entries: Sequence[int]) -> Iterator[tuple[int, Session]]:
    """The game as it stood before some decisions, played again once.

    Args:
        session: a game.
        entries: log indices of decisions.

    Yields:
        Each index, in the order of play, with the game before it. The game is the same object throughout: it is what
        it says until the next one is asked for.
    """
    wanted = set(entries)
    again = Session(session.setup)
    for step in session.steps:
        if len(again.entries) in wanted and step.kind in ("keep", "score"):
            yield len(again.entries), again
        again.apply(step)


def lesson_of(before: Session, number: int, entry: int, done: Entry, loss: float) -> contract.Lesson:
    """A decision to try again."""
    choices = choices_of(before)
    if choices is None or done.action is None or not len(legal_actions(before)):
        raise AssertionError("a lesson is a decision")
    return contract.Lesson(
        number=number,
        entry=entry,
        seat=done.seat,
        turn=done.turn + 1,
        loss=loss,
        played=names_of(before.rules)[done.action],
        card=card_of(before, done.card, hidden=False),
        dice=list(before.dice),
        throws_left=before.situation.throws_left,
        choices=choices,
    )


def export_of(session: Session) -> contract.ExportedGame:
    """A game as a file."""
    finished = session.phase == "finished"
    names = names_of(session.rules)
    return contract.ExportedGame(
        format="yatzy-env game",
        format_version=1,
        ruleset=session.rules.model_dump(mode="json"),
        seats=seats_of(session),
        teams=[list(team) for team in session.setup.teams],
        created=session.setup.created,
        finished=finished,
        real_dice=session.setup.real_dice,
        seed_digest=session.setup.digest,
        seed=session.setup.seed if finished else None,
        moves=[
            contract.ExportedMove(
                card=entry.card,
                seat=entry.seat,
                turn=entry.turn + 1,
                dice=sorted(entry.dice),
                throws_left=entry.situation.throws_left,
                action=names[entry.action],
            )
            for entry in session.entries
            if entry.action is not None
        ],
        totals=session.games.total.tolist(),
    )
