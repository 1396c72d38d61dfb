"""When two memories of one user say the same, so that a merge may be suggested.

A merge is suggested only on proof: every word of one statement must answer to a word of the other, in the same role, or be
of a kind that is listed as harmless. Numbers, negation, tense, modality, names, kin, quantifiers and whatever else is not
listed must agree; so an update, a contradiction or a look-alike fails without a rule of its own.
"""

from commonplace.duplicates.verdict import same_statement

__all__ = ["same_statement"]
