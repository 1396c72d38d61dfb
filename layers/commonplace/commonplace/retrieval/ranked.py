"""The result of ranking, with the scores, score parts and probabilities of the rows, best first."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from commonplace.ports.index import Floats, Integers

_LOG_SCORE, _LEAD, _LOG_RANK, _BASE = 0.67, 2.81, -0.98, -0.08  # logistic fit, see `probability`


@dataclass(frozen=True)
class Ranked:
    """The rows that may be returned, best first, with their scores and relevance (0 to 1).

    The relevance of a score s is s / (s + 0.2), which is comparable across queries. `impartial` contains the scores without
    the bonus for a named speaker. `parts` maps names to score parts. `order` maps ranks to indexes into the parts.
    """

    rows: Integers
    scores: Floats
    relevance: Floats
    impartial: Floats
    order: Integers
    parts: Mapping[str, Floats]

    def parts_at(self, place: int) -> dict[str, float]:
        """Return the nonzero score parts at rank `place`, by name."""
        at = self.order[place]
        return {name: share for name, shares in self.parts.items() if (share := float(shares[at]))}

    def probability(self, first: int) -> Floats:
        """Return the probability that each of the first rows is correct, as a logistic function of score, lead and rank.

        The function was fitted to LoCoMo conversations 0 and 1, half of BEAM, and half of the everyday facts.
        """
        scores = self.scores[:first]
        if not len(scores):
            return scores
        next_best = np.full(len(scores), scores[0])
        next_best[0] = self.scores[1] if len(self.scores) > 1 else 0.0
        ranks = np.log(np.arange(1, len(scores) + 1))
        odds = _LOG_SCORE * np.log(np.maximum(scores, 0.01)) + _LEAD * (scores - next_best) + _LOG_RANK * ranks + _BASE
        return np.asarray(1 / (1 + np.exp(-odds)))
