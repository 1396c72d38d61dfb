"""Estimate a text's type, category and importance, and whether it is worth storing."""

import math
import re
from dataclasses import dataclass, replace

from commonplace.domain.loading import loaded_once
from commonplace.domain.taxonomy import Category, StatementType
from commonplace.text.classifier.model import CJK, Label, Tuning, Vector, normal, shipped
from commonplace.text.foundation.characters import straight
from commonplace.text.foundation.expressions import read_table
from commonplace.text.foundation.sentences import STRAIGHT_QUOTES, sentence_spans

_USER = r"\b(?:the )?user"

STANDING = Label("preference", "system")
_PASSING = (Label("other", "interactions"), Label("other", "contexts"))
_MOST_SENTENCES = 40
_KEEP_SLOPE = 4.0
_CENTRAL, _SURE = 4, 0.9  # no training statement that isn't worth storing reaches both thresholds
_VITAL, _OF_THE_USER = 4, ("biographical", "habit", "preference")


def is_standing_wish(text: str) -> bool:
    """Return whether a text is a standing wish about how to answer or address the user rather than a one-off request."""
    return _compile_wishes().search(straight(text.strip())) is not None


@loaded_once
def _compile_wishes() -> re.Pattern[str]:
    table = read_table(__package__, "standing.toml")
    lines = "|".join(f"(?:{line})" for line in table.pop("wishes").splitlines() if line)
    for name, listed in {**table, "user": _USER}.items():
        lines = lines.replace(f"{{{name}}}", "|".join(line for line in listed.splitlines() if line))
    return re.compile(lines, re.IGNORECASE)


def is_about_health(text: str) -> bool:
    """Return whether a text mentions an allergy, an illness or the like that isn't just the topic of a book or an article."""
    plain = normal(text)
    return bool(_load_vital_patterns()["health"].search(plain)) and not _load_vital_patterns()["heard_of"].search(plain)


def states_name(text: str) -> bool:
    """Return whether a text states the name of the user, a relative, a pet or a boss."""
    return bool(_load_vital_patterns()["named"].search(straight(text)))


@loaded_once
def _load_vital_patterns() -> dict[str, re.Pattern[str]]:
    table = read_table(__package__, "vital.toml")
    cues = {key: "|".join(map(_build_cue_pattern, map(str.strip, table[key].split(",")))) for key in ("health", "heard_of")}
    return {name: re.compile(pattern) for name, pattern in {**cues, "named": "|".join(table["named"])}.items()}


def _build_cue_pattern(cue: str) -> str:
    if CJK.search(cue):
        return re.escape(cue)
    return rf"\b{re.escape(cue.removesuffix('*'))}" + ("" if cue.endswith("*") else r"\b")


@dataclass(frozen=True, slots=True)
class Classification:
    """The labels of one statement.

    `level` is the importance, from 1 (harmless to forget) to 5 (harmful to forget). `worthy` is True if the statement will
    still be useful in a few weeks. `confidence` is the probability, from 0 to 1, that both the type and the category are
    correct. `worth`, from 0 to 1, measures how worthwhile storing the statement is. Callers compare `worth` with a threshold.
    """

    statement_type: StatementType
    category: Category
    level: int
    worthy: bool
    confidence: float
    worth: float
    likely: tuple[Category, ...] = ()
    """The chosen category and the likeliest alternative."""


def classify(text: str, vector: Vector | None, encoded: Vector | None = None) -> Classification:
    """Classify a text. `vector` is the average of its word vectors, or None.

    `encoded` contains the features of the sentence encoders. If it is None, a model without these features is used. If the
    text as a whole isn't worth storing but one of its sentences clearly is (an allergy between a greeting and a joke), the
    labels are those of that sentence. Unless the text is a question, health, names and standing wishes have at least level 4.
    """
    classification = _classify_text_or_sentence(text, vector, encoded)
    if is_standing_wish(text) and not _is_question(text):
        return replace(classification, **STANDING._asdict(), level=max(classification.level, _VITAL), worthy=True)
    vital = states_name(text) or (classification.statement_type in _OF_THE_USER and is_about_health(text))
    if not vital or _is_question(text):
        return classification
    return replace(classification, level=max(classification.level, _VITAL), worthy=True)


def _is_question(text: str) -> bool:
    return text.rstrip().endswith(("?", "？"))


def _classify_text_or_sentence(text: str, vector: Vector | None, encoded: Vector | None) -> Classification:
    plain = shipped()
    model = plain if encoded is None else shipped("classifier_encoded.npz")
    whole = decide(model.labels, model.tuning, model.scores(text, vector, encoded))
    spans = sentence_spans(text, closing=STRAIGHT_QUOTES, lists=False, words=False)
    sentences = [text[start:end] for start, end in spans if text[start:end].strip()]
    if whole.worthy or len(sentences) < 2:
        return whole
    alone = (plain.scores(sentence, None) for sentence in sentences[:_MOST_SENTENCES])
    parts = [decide(plain.labels, plain.tuning, scores) for scores in alone]
    sure = [part for part in parts if part.worthy and part.level >= _CENTRAL and part.confidence >= _SURE]
    return max(sure, key=lambda part: part.confidence, default=whole)


def decide(labels: tuple[Label, ...], tuning: Tuning, scores: Vector) -> Classification:
    """Return the labels that `scores` imply. There is one score per label, one for worthiness, and one per level step."""
    shares = label_shares(labels, tuning.temperature, scores)
    label, share = best_label(shares)
    keep, *steps = (float(score) for score in scores[len(labels) :])
    logit = tuning.confidence_slope * log_odds(share) + tuning.confidence_offset
    return Classification(
        statement_type=label.statement_type,
        category=label.category,
        level=1 + sum(step > 0.0 for step in steps),
        worthy=keep > tuning.keep_threshold,
        confidence=_compute_probability(logit),
        worth=(1.0 - sum(shares.get(label, 0.0) for label in _PASSING) + _compute_probability(_KEEP_SLOPE * keep)) / 2,
        likely=_pick_two_categories(label.category, shares),
    )


def _pick_two_categories(chosen: Category, shares: dict[Label, float]) -> tuple[Category, ...]:
    by_category: dict[Category, float] = {}
    for label, share in shares.items():
        by_category[label.category] = by_category.get(label.category, 0.0) + share
    return tuple(dict.fromkeys((chosen, *sorted(by_category, key=lambda name: -by_category[name]))))[:2]


def label_shares(labels: tuple[Label, ...], temperature: float, scores: Vector) -> dict[Label, float]:
    """Return the uncalibrated probability of each label. The probabilities add up to 1."""
    top = float(scores[: len(labels)].max())
    shares: dict[Label, float] = {}
    for label, score in zip(labels, scores.tolist(), strict=False):
        shares[label] = shares.get(label, 0.0) + math.exp((score - top) / temperature)
    total = sum(shares.values())
    return {label: share / total for label, share in shares.items()}


def best_label(shares: dict[Label, float]) -> tuple[Label, float]:
    """Return the label with the likeliest type and that type's likeliest category, and the label's probability."""
    by_type: dict[StatementType, float] = {}
    for label, share in shares.items():
        by_type[label.statement_type] = by_type.get(label.statement_type, 0.0) + share
    winner = max(by_type, key=lambda name: by_type[name])
    return max(((label, share) for label, share in shares.items() if label.statement_type == winner), key=lambda of: of[1])


def _compute_probability(logit: float) -> float:
    return 1.0 / (1.0 + math.exp(-logit))


def log_odds(share: float) -> float:
    """Return the log odds of a probability, clamped to about ±14."""
    bounded = min(max(share, 1e-6), 1.0 - 1e-6)
    return math.log(bounded / (1.0 - bounded))
