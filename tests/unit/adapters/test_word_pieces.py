"""Our few lines split as the library for BERT's tokenizer does."""

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tokenizers import Tokenizer
from tokenizers.models import WordPiece
from tokenizers.normalizers import BertNormalizer
from tokenizers.pre_tokenizers import BertPreTokenizer

import commonplace
from commonplace.adapters import word_pieces

UNKNOWN = "[UNK]"
VOCABULARY_FILE = Path(commonplace.__file__).parent / "data" / "embedding" / "vocabulary.txt"
VOCABULARY = {piece: at for at, piece in enumerate(VOCABULARY_FILE.read_text("utf-8").split("\n")) if piece}
REFERENCE = Tokenizer(WordPiece(VOCABULARY, unk_token=UNKNOWN, max_input_chars_per_word=100))
REFERENCE.normalizer = BertNormalizer(clean_text=True, handle_chinese_chars=True, strip_accents=None, lowercase=True)
REFERENCE.pre_tokenizer = BertPreTokenizer()


def ours(text: str) -> list[int]:
    unknown = [VOCABULARY[UNKNOWN]]
    return [
        piece for _, found in word_pieces.word_pieces(text, VOCABULARY) for piece in (unknown if found is None else found)
    ]


@pytest.mark.parametrize(
    "text",
    [
        "I'm 43 and I love concept albums!", "naïve İstanbul ß ﬁ Ⅷ ½", "東京で寿司 and ramen", "한국어 ภาษาไทย हिन्दी",
        "zero\u200bwidth a\u0301 emoji 😀👍🏽", "“q” — … $5 £3 ^~`| <>=+", "x" * 101, "", "tab\tline\nbreak", "C++ node.js v3.5",
    ],
)  # fmt: skip
def test_it_splits_as_the_library_does(text: str) -> None:
    assert ours(text) == REFERENCE.encode(text, add_special_tokens=False).ids


# Newer characters are classed differently by the library's older tables, so the blocks that people write in are drawn.
WRITTEN = st.one_of(
    st.characters(max_codepoint=0x052F, exclude_categories=["Cn"]),
    st.characters(min_codepoint=0x3041, max_codepoint=0x9FA5, exclude_categories=["Cn"]),
    st.characters(min_codepoint=0x1F600, max_codepoint=0x1F64F),
)


@given(st.text(alphabet=WRITTEN, max_size=60))
def test_it_splits_any_text_as_the_library_does(text: str) -> None:
    assert ours(text) == REFERENCE.encode(text, add_special_tokens=False).ids


def test_the_vocabulary_has_a_row_for_each_piece() -> None:
    import numpy as np

    rows = np.load(VOCABULARY_FILE.parent / "vectors.npy", mmap_mode="r")
    assert rows.shape == (len(VOCABULARY), 256)
    assert json.dumps(sorted(VOCABULARY.values())) == json.dumps(list(range(len(VOCABULARY))))
