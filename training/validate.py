"""How well the classifier does on statements that it was not trained on: by fifths of all files, and by whole files.

    python -m training.validate

A file is by one author: a file that was left out is the honest measure, a fifth the hopeful one.
"""

import numpy as np
from rich.console import Console
from rich.table import Table
from sklearn.metrics import f1_score

from commonplace.text.classifier.classification import Classification, decide
from training.design import Statement, alike, design, encoded_by, folds_by_text, read_all
from training.train import scores_unseen, tune

COLUMNS = ("unseen", "statements", "type F1", "category", "keep", "not-keep F1", "importance within 1", "confidence, right")


def cross_validate(statements: list[Statement]) -> None:
    """Prints how the model does on folds of all files, and on whole files by other people."""
    made = design(statements, encoded_by([one.text for one in statements]))
    kernel = alike(made)
    labels = made.labels
    table = Table(*COLUMNS)
    sources = np.array([one.source for one in statements])
    for name, folds in (("a fifth", folds_by_text(statements)), ("a file", sources)):
        unseen = scores_unseen(made, kernel, folds)
        tuning = tune(statements, labels, unseen)
        answers = [decide(labels, tuning, row) for row in unseen]
        groups = {f"{name}: all": np.ones(len(statements), bool)}
        groups |= {f"{name}: {source}": sources == source for source in np.unique(sources)}
        if name == "a fifth":
            languages = np.array([one.language for one in statements])
            groups |= {f"{name}: {language}": languages == language for language in np.unique(languages)}
        for group, rows in groups.items():
            chosen = np.flatnonzero(rows)
            cells = figures([statements[row] for row in chosen], [answers[row] for row in chosen])
            table.add_row(group, str(len(chosen)), *cells)
    Console(width=150).print(table)


def figures(statements: list[Statement], answers: list[Classification]) -> list[str]:
    """The measures of the benchmark, as cells of a table."""
    pairs = list(zip(statements, answers, strict=True))
    kinds = [one.statement_type for one in statements], [answer.statement_type for answer in answers]
    both = [one[:2] == (answer.statement_type, answer.category) for one, answer in pairs]
    found = (
        f1_score(*kinds, average="macro"),
        np.mean([one.category == answer.category for one, answer in pairs]),
        np.mean([one.keep == answer.worthy for one, answer in pairs]),
        f1_score([not one.keep for one in statements], [not answer.worthy for answer in answers], zero_division=0.0),
        np.mean([abs(one.level - answer.level) <= 1 for one, answer in pairs]),
    )
    confidence = np.mean([answer.confidence for answer in answers])
    return [*(f"{float(value):.3f}" for value in found), f"{confidence:.3f}, {np.mean(both):.3f}"]


if __name__ == "__main__":
    cross_validate(read_all())
