"""What kind of statement a text is, where it is filed, how much it matters and whether it is worth keeping."""

import math
from dataclasses import dataclass

from commonplace.classifier.model import Label, Tuning, Vector, shipped
from commonplace.taxonomy import Category, StatementType

PASSING = Label("other", "interactions")


@dataclass(frozen=True, slots=True)
class Classification:
    """The labels of one statement.

    importance `level`: 1 (nothing is lost without it) to 5 (harm if it is forgotten); `worthy`: the user would be glad
    of it in some weeks; `confidence`: the probability, 0 to 1, that type and category are both right.
    """

    statement_type: StatementType
    category: Category
    level: int
    worthy: bool
    confidence: float


def classify(text: str, vector: Vector | None) -> Classification:
    """The labels of a text; `vector` is its static embedding, None where it has none. Any text gets an answer."""
    model = shipped()
    return decide(model.labels, model.tuning, model.scores(text, vector))


def decide(labels: tuple[Label, ...], tuning: Tuning, scores: Vector) -> Classification:
    """The labels that a row of scores stands for: one per entry of `labels`, keep, one per importance step."""
    label, share = best_label(label_shares(labels, tuning.temperature, scores))
    keep, *steps = (float(score) for score in scores[len(labels) :])
    logit = tuning.confidence_slope * log_odds(share) + tuning.confidence_offset
    return Classification(
        statement_type=label.statement_type,
        category=label.category,
        level=1 + sum(step > 0.0 for step in steps),
        # Only what passes between people can be worth nothing: what tells of the user, or must be done, is kept.
        worthy=label != PASSING or keep > tuning.keep_threshold,
        confidence=1.0 / (1.0 + math.exp(-logit)),
    )


def label_shares(labels: tuple[Label, ...], temperature: float, scores: Vector) -> dict[Label, float]:
    """How likely each label is, before calibration: the softmax of the heads, summed by label. Adds up to one."""
    top = float(scores[: len(labels)].max())
    shares: dict[Label, float] = {}
    for label, score in zip(labels, scores.tolist(), strict=False):
        shares[label] = shares.get(label, 0.0) + math.exp((score - top) / temperature)
    total = sum(shares.values())
    return {label: share / total for label, share in shares.items()}


def best_label(shares: dict[Label, float]) -> tuple[Label, float]:
    """The likeliest type, and within it the likeliest category, with the share of the two together."""
    by_type: dict[StatementType, float] = {}
    for label, share in shares.items():
        by_type[label.statement_type] = by_type.get(label.statement_type, 0.0) + share
    winner = max(by_type, key=lambda name: by_type[name])
    return max(((label, share) for label, share in shares.items() if label.statement_type == winner), key=lambda of: of[1])


def log_odds(share: float) -> float:
    """Kept within about -14 and 14."""
    bounded = min(max(share, 1e-6), 1.0 - 1e-6)
    return math.log(bounded / (1.0 - bounded))
