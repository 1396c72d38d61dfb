"""Secrets found in chat messages, and messages without one that are touched."""

import argparse
from collections import Counter

from benchmarks.report import FOLDER, Cell, Table, main
from commonplace.text.redaction import redact

HALVES = ("first half", "second half")
_ALL = "all"


def measure(_: argparse.Namespace) -> list[Table]:
    """Recall: no part of the secret is left. False alarm: anything was taken out of a message without a secret."""
    first = [
        "Written without sight of the rules. At first sight the recall was .81, the false alarms .009; then the rules were "
        "mended on every other line (first half). The second half, still unseen, gave .925 and .013 false alarms, "
        "then it was opened and mended for too: neither half is unseen any more."
    ]
    second = [
        "Written by somebody else, later, from a definition only. At first sight the recall was .863 and the false alarms "
        ".006; then the rules were mended on every other line (first half). The second half is unseen: the one to believe."
    ]
    third = [
        "Lists, tables, halves, answers to the message before, in nine languages, written before their rules. At first "
        "sight the recall was .266, the false alarms 0; the rules were mended on every other line (first half) alone."
    ]
    return [
        _table("Secrets", "", first),
        _table("Secrets, a fresh set", "fresh_", second),
        _table("Secrets, told in other ways", "told_", third),
    ]


def _table(title: str, prefix: str, notes: list[str]) -> Table:
    found, held, alarms, clean = (Counter[str]() for _ in range(4))
    for number, line in enumerate(_lines(f"{prefix}with.tsv")):
        language, secret, text, *before = line.split("\t")
        left = redact(_lined(prefix, text), *before).text
        for group in (language, HALVES[number % 2], _ALL):
            held[group] += 1
            found[group] += not any(part in left for part in secret.split(" || "))
    for number, line in enumerate(_lines(f"{prefix}without.tsv")):
        language, text, *before = line.split("\t")
        text = _lined(prefix, text)
        for group in (language, HALVES[number % 2], _ALL):
            clean[group] += 1
            alarms[group] += redact(text, *before).text != text
    rows: list[tuple[Cell, ...]] = [
        (group, held[group], found[group] / held[group], clean[group], alarms[group] / clean[group]) for group in sorted(held)
    ]
    columns = ("part", "with", "recall", "without", "false alarms")
    return Table(title, columns, rows, "recall >= .95, false alarms <= .01", notes)


def _lined(prefix: str, text: str) -> str:
    """The text with its line ends, which the newest set alone writes out."""
    return text.replace("\\n", "\n") if prefix == "told_" else text


def _lines(name: str) -> list[str]:
    return (FOLDER / "secrets" / name).read_text("utf-8").splitlines()


if __name__ == "__main__":
    main("redaction", "Secrets: what is found, and what is left alone", measure, False)
