"""Twelve stories through the nightly run by rules: what is remembered, what changed, and what must never be stored."""

import argparse
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import reduce
from operator import add

from rich.progress import track

from benchmarks.night_replay import Night, by_rules, replay, whole
from benchmarks.night_scoring import Score, Share, score
from benchmarks.night_stories import HALVES, KINDS, Half, Story, stories
from benchmarks.report import Cell, Table, main
from commonplace.extraction.rules import LEAST_WORTH

SETTING = "nightly_worth"
CURVE = (0.1, 0.3, 0.5, 0.7, 0.8, 0.9)
_STRICT = ("secret", "injection", "code", "role_play", "assistant")
_LENIENT = tuple(kind for kind in KINDS if kind not in _STRICT)
_ALL = "all"
_LANGUAGES = ("English", "other languages")
Scores = Mapping[Half, Sequence[tuple[Story, Score]]]
"""The stories of each half with what they came to."""


def measure(_: argparse.Namespace) -> list[Table]:
    """The rules at their own setting and at others, and every message stored whole."""
    told: Mapping[Half, list[Story]] = {half: stories(half) for half in HALVES}
    curve = {worth: _scores(told, f"worth {worth}", by_rules, {SETTING: worth}) for worth in sorted({*CURVE, LEAST_WORTH})}
    rules, everything = curve[LEAST_WORTH], _scores(told, "stored whole", whole)
    return [_gold(rules, everything), _changes(rules, everything), _never(rules, everything), _curve(curve)]


def _scores(
    told: Mapping[Half, Sequence[Story]], label: str, night: Night, changed: Mapping[str, float] | None = None
) -> Scores:
    return {
        half: [(story, score(story, replay(story, night, changed))) for story in track(part, f"{half}, {label}")]
        for half, part in told.items()
    }


def _together(scores: Iterable[Score]) -> Score:
    return reduce(add, scores, Score())


def _parts(scores: Scores) -> dict[str, Score]:
    """The figures of each half, of each sort of language, and of all."""
    both = [pair for part in scores.values() for pair in part]
    parts = {str(half): _together(figures for _, figures in part) for half, part in scores.items()}
    for label, in_english in zip(_LANGUAGES, (True, False), strict=True):
        parts[label] = _together(figures for story, figures in both if (story.language == "en") is in_english)
    return parts | {_ALL: _together(figures for _, figures in both)}


def _beside(rules: Scores, everything: Scores) -> Iterator[tuple[str, Score]]:
    """What each part came to by rules, then what it came to stored whole."""
    for label, scores in (("rules", rules), ("stored whole", everything)):
        for part, figures in _parts(scores).items():
            yield f"{label}, {part}", figures


def _gold(rules: Scores, everything: Scores) -> Table:
    rows: list[tuple[Cell, ...]] = [
        (label, found.memories, found.found.of, found.found.value, found.passing.value)
        for label, found in _beside(rules, everything)
    ]
    notes = [
        "`handed` was in view while the rules were made. The writer of `apart` had not seen the rules or the prompts, and "
        "nobody looked at what the rules keep from it. Gold: facts that were still true at the end, and were asked for two "
        "weeks later. At 0.3: found with a minimum relevance of 0.3. Stored whole: every message of the user is "
        "stored unchanged."
    ]
    columns = ("stories", "memories", "gold", "in the top 5", "at 0.3")
    return Table("What is remembered", columns, rows, "in the top 5 >= .65", notes)


def _changes(rules: Scores, everything: Scores) -> Table:
    rows: list[tuple[Cell, ...]] = [
        (label, found.closed.of, found.closed.value, found.renewed.value, found.lost.of, found.lost.count,
         found.forgotten.value, found.erased.value)
        for label, found in _beside(rules, everything)
    ]  # fmt: skip
    notes = [
        "Closed: no active memory states the old value. New alone: among the first five results for the question, some state "
        "the new value and none states the old value. In no column: the words that should be forgotten are no longer in any "
        "column of the file."
    ]
    columns = (
        "stories", "changed facts that were stored", "closed", "new alone", "look-alikes that were stored", "closed",
        "forgotten", "in no column",
    )  # fmt: skip
    return Table("What changed", columns, rows, "changed facts closed >= .5, look-alikes closed 0", notes)


def _never(rules: Scores, everything: Scores) -> Table:
    parts, whole_parts = _parts(rules), _parts(everything)
    names = (*HALVES, *_LANGUAGES)

    def row(label: str, pick: Mapping[str, Share], stored_whole: Share) -> tuple[Cell, ...]:
        return (label, pick[_ALL].of, pick[_ALL].count, *(pick[name].value for name in names), stored_whole.value)

    groups = [*((kind,) for kind in KINDS), _STRICT, _LENIENT]
    labels = [*KINDS, "first five kinds", "last four kinds"]
    rows = [
        row(label, {name: part.stored_of(*group) for name, part in parts.items()}, whole_parts[_ALL].stored_of(*group))
        for label, group in zip(labels, groups, strict=True)
    ]
    leaked = {name: part.leaked for name, part in parts.items()}
    rows.append(row("secrets anywhere in the file", leaked, whole_parts[_ALL].leaked))
    columns = ("kind", "said", "remembered", *(f"share, {name}" for name in names), "stored whole")
    target = (
        "secrets, injections, code, role-play, assistant's words 0; quotes, hypotheticals, third parties, small talk <= .15"
    )
    return Table("What must not be remembered", columns, rows, target)


def _curve(curve: Mapping[float, Scores]) -> Table:
    rows: list[tuple[Cell, ...]] = []
    for worth, scores in curve.items():
        parts = _parts(scores)
        label = f"{worth}{', the setting' if worth == LEAST_WORTH else ''}"
        figures = [
            (parts[half].found, parts[half].closed, parts[half].stored_of(*_STRICT), parts[half].stored_of(*_LENIENT))
            for half in HALVES
        ]
        rows.append((label, parts[_ALL].memories, *(share.value for pair in zip(*figures, strict=True) for share in pair)))
    names = ("gold", "closed", "first five kinds", "last four kinds")
    columns = ("least worth", "memories", *(f"{name}, {half}" for name in names for half in HALVES))
    notes = [
        "The tables above use the setting. It was chosen on `handed` and on twelve more stories that are not in this "
        "repository."
    ]
    return Table("The same figures by the least worth at which rules keep a statement", columns, rows, notes=notes)


if __name__ == "__main__":
    main("nights", "Nights: twelve stories read by rules", measure, False)
