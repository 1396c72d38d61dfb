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
        "The writer had not seen the rules. In the first run, the recall was .81 and the share of false alarms was .009. "
        "Then the rules were fixed with every other line (first half). On the second half, which nobody had seen until "
        "then, the recall was .925 and the share of false alarms was .013. Then the second half was also used to fix the "
        "rules, so both halves have now been seen."
    ]
    second = [
        "Another writer wrote this set later, from a definition only. In the first run, the recall was .863 and the share "
        "of false alarms was .006. Then the rules were fixed with every other line (first half). Nobody has seen the second "
        "half, so its figures are the figures to trust."
    ]
    third = [
        "The secrets are in lists, in tables, in halves, and in answers to the message before, in nine languages. They were "
        "written before the rules for them. In the first run, the recall was .266 and there were no false alarms. The rules "
        "were fixed only with every other line (first half)."
    ]
    return [
        _table("Secrets", "", first),
        _table("Secrets, a fresh set", "fresh_", second),
        _table("Secrets in other forms", "told_", third),
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
