"""Our few lines cut words into pieces as the library for SentencePiece's models does."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tokenizers import Tokenizer
from tokenizers.models import Unigram as ReferenceModel
from tokenizers.normalizers import NFKC
from tokenizers.pre_tokenizers import Metaspace

from commonplace.adapters.sentence_encoder import Unigram

PIECES = {
    "<s>": 0.0, "</s>": 0.0, "<unk>": 0.0, "▁": -3.0, "▁a": -4.0, "a": -4.5, "▁ab": -5.0, "b": -4.2, "ba": -6.0, "c": -5.1,
    "▁cab": -7.5, "bc": -5.5, "é": -6.1, "abc": -8.0, "▁東": -7.0, "京": -7.2, "東京": -7.1, ".": -3.3,
}  # fmt: skip
REFERENCE = Tokenizer(ReferenceModel([*PIECES.items()], 2, byte_fallback=False))
REFERENCE.normalizer = NFKC()
REFERENCE.pre_tokenizer = Metaspace(prepend_scheme="always")
OURS = Unigram(list(PIECES), list(PIECES.values()), 2)


@pytest.mark.parametrize("text", ["abc cab", "ababab", "a b. é", "東京", "ｃａｂ", "xyz abx", "", "東 京 ab"])
def test_it_cuts_as_the_library_does(text: str) -> None:
    assert OURS.ids(text) == REFERENCE.encode(text, add_special_tokens=False).ids


@given(st.text(alphabet="abcé東京.x ", max_size=30))
def test_so_it_does_any_text(text: str) -> None:
    assert OURS.ids(text) == REFERENCE.encode(" ".join(text.split()), add_special_tokens=False).ids


def test_what_is_not_to_be_seen_is_no_piece() -> None:
    assert OURS.ids("a\u200bb\x00") == OURS.ids("ab")
