"""How likely it is that the memories hold the answer to a question at all."""

import numpy as np

from commonplace.candidates import Candidates, Corpus
from commonplace.ranking import Question, Ranked, named_speakers


def answerable(question: Question, candidates: Candidates, corpus: Corpus, ranked: Ranked) -> float:
    """0-1, rising with the lead of the named speaker's best hit over everybody else's."""
    if not len(ranked.rows):
        return 0.0
    return float(ranked.relevance[0])
