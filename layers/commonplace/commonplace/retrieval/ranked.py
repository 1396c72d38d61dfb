"""The result of ranking: places, best first, with their scores, what these are the sum of, and how likely each is right."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from commonplace.ports.index import Floats, Integers

_LOG_SCORE, _LEAD, _LOG_RANK, _BASE = 0.67, 2.81, -0.98, -0.08  # logistic fit, see `probability`


@dataclass(frozen=True)
class Ranked:
    """Rows of the candidates that may be returned, best first, with their scores and relevance (0-1).

    Relevance rises with the score alone, so that it means the same for every question: s / (s + 0.2).
    `impartial`: the scores without what a named speaker adds; `parts`: by name what each score is the sum of, where the one
    of a place stands at `order`.
    """

    rows: Integers
    scores: Floats
    relevance: Floats
    impartial: Floats
    order: Integers
    parts: Mapping[str, Floats]

    def parts_at(self, place: int) -> dict[str, float]:
        """What the score of a place is the sum of, by name; parts of 0 are left out."""
        at = self.order[place]
        return {name: share for name, shares in self.parts.items() if (share := float(shares[at]))}

    def probability(self, first: int) -> Floats:
        """How likely each of the first rows is right (0-1): a logistic function of its score, its lead over the best other,
        and its rank, fitted on LoCoMo 0-1, half of BEAM and half of the everyday facts."""
        scores = self.scores[:first]
        if not len(scores):
            return scores
        others = np.full(len(scores), scores[0])
        others[0] = self.scores[1] if len(self.scores) > 1 else 0.0
        ranks = np.log(np.arange(1, len(scores) + 1))
        odds = _LOG_SCORE * np.log(np.maximum(scores, 0.01)) + _LEAD * (scores - others) + _LOG_RANK * ranks + _BASE
        return np.asarray(1 / (1 + np.exp(-odds)))
