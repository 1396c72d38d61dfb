"""Secrets found in chat messages, and messages without one that are touched."""

import argparse
from collections import Counter

from benchmarks.report import FOLDER, Cell, Table, main
from commonplace.redaction import redact

HALVES = ("tuned on", "held out")


def measure(_: argparse.Namespace) -> list[Table]:
    """Recall: no part of the secret is left. False alarm: anything was taken out of a message without a secret."""
    found, held, alarms, clean = (Counter[str]() for _ in range(4))
    for number, line in enumerate((FOLDER / "secrets" / "with.tsv").read_text("utf-8").splitlines()):
        language, secret, text = line.split("\t")
        left = redact(text).text
        for group in (language, HALVES[number % 2]):
            held[group] += 1
            found[group] += not any(part in left for part in secret.split(" || "))
    for number, line in enumerate((FOLDER / "secrets" / "without.tsv").read_text("utf-8").splitlines()):
        language, text = line.split("\t")
        for group in (language, HALVES[number % 2]):
            clean[group] += 1
            alarms[group] += redact(text).text != text
    rows: list[tuple[Cell, ...]] = [
        (language, held[language], found[language] / held[language], clean[language], alarms[language] / clean[language])
        for language in sorted(held)
    ]
    columns = ("part", "with", "recall", "without", "false alarms")
    notes = [
        "Both sets were written without sight of the rules. At first sight the recall was .81 and the false alarms .009; "
        "then the rules were mended on every other line (tuned on). The held-out half is the one to believe.",
    ]
    return [Table("Secrets", columns, rows, "recall >= .95, false alarms <= .01", notes)]


if __name__ == "__main__":
    main("redaction", "Secrets: what is found, and what is left alone", measure, False)
