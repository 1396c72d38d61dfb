"""A cosine as a distance on the scale of the specification, whatever model made the vectors."""

from collections.abc import Mapping

import numpy as np

_MARKS = (0.2, 0.5, 0.8)
"""Below the first: highly relevant; below the second: relevant; below the third: somewhat; beyond it likely not."""
SCALES: Mapping[str, tuple[float, float, float]] = {
    "minilm-e5-small-256": (0.59, 0.23, 0.03),
    "minilm-conversation-256-int8": (0.52, 0.17, 0.05),
}
"""By model, the cosines at the marks: the 90th percentile of questions with their own memories, then the 95th (of the
static model the 90th) and the median of questions with other memories of the same person, on English everyday facts."""


def distance_of(cosine: float, model: str) -> float:
    """The distance of a cosine by that model: 0 the same, 2 opposite, linear between the marks; else 1 - cosine."""
    scale = SCALES.get(model)
    if scale is None:
        return min(2.0, max(0.0, 1.0 - cosine))
    return float(np.interp(cosine, (-1.0, *scale[::-1], 1.0), (2.0, *_MARKS[::-1], 0.0)))
