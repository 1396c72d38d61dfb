"""Secrets found in chat messages, and messages without one that are touched."""

import argparse
from collections import Counter

from benchmarks.report import FOLDER, Cell, Table, main
from commonplace.redaction import redact


def measure(_: argparse.Namespace) -> list[Table]:
    """Recall: no part of the secret is left. False alarm: anything was taken out of a message without a secret."""
    found, held, alarms, clean = (Counter[str]() for _ in range(4))
    for line in (FOLDER / "secrets" / "with.tsv").read_text("utf-8").splitlines():
        language, secret, text = line.split("\t")
        left = redact(text).text
        held[language] += 1
        found[language] += not any(part in left for part in secret.split(" || "))
    for line in (FOLDER / "secrets" / "without.tsv").read_text("utf-8").splitlines():
        language, text = line.split("\t")
        clean[language] += 1
        alarms[language] += redact(text).text != text
    rows: list[tuple[Cell, ...]] = [
        (language, held[language], found[language] / held[language], clean[language], alarms[language] / clean[language])
        for language in held
    ]
    rows.append(("all", held.total(), found.total() / held.total(), clean.total(), alarms.total() / clean.total()))
    columns = ("language", "with", "recall", "without", "false alarms")
    notes = ["Both sets were written without sight of the rules, and the rules were not changed after them."]
    return [Table("Secrets", columns, rows, "recall >= .95, false alarms <= .01", notes)]


if __name__ == "__main__":
    main("redaction", "Secrets: what is found, and what is left alone", measure, False)
