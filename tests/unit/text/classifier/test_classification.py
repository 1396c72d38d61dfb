"""What the classifier says of statements, and what it is made of."""

from importlib.resources import files
from pathlib import Path
from typing import get_args
from zlib import crc32

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from commonplace.adapters.word_averages import WordAverages
from commonplace.domain.taxonomy import Category, StatementType
from commonplace.text.classifier.classification import Classification, classify, label_shares
from commonplace.text.classifier.model import (
    SLOTS,
    Model,
    features,
    lexicon,
    load,
    normal,
    sentences,
    shipped,
    tag,
    unspaced_classes,
)

CASES = [line.split("\t") for line in (Path(__file__).parent / "cases" / "statements.tsv").read_text("utf-8").splitlines()]


def classified(text: str) -> Classification:
    return classify(text, WordAverages().embed(text))


@pytest.mark.parametrize(("kind", "category", "keep", "text"), CASES, ids=[case[3] for case in CASES])
def test_a_clear_statement_gets_its_type_its_category_and_whether_it_is_kept(
    kind: str, category: str, keep: str, text: str
) -> None:
    found = classified(text)
    assert (found.statement_type, found.category, found.worthy) == (kind, category, keep == "1")


@pytest.mark.parametrize("text", ["My name is Ana.", "I'm allergic to latex.", "From now on answer in French."])
def test_what_would_do_harm_if_forgotten_is_most_important(text: str) -> None:
    assert classified(text).level == 5


@pytest.mark.parametrize("text", ["Thanks a lot!", "What's the weather like?"])
def test_small_talk_and_questions_are_least_important(text: str) -> None:
    assert classified(text).level == 1


def test_a_fact_wrapped_in_small_talk_is_still_found() -> None:
    told = "Hey, how are you? What a day, typical Monday. I'm allergic to shellfish. Haha, anyway, thanks for yesterday!"
    found = classified(told)
    assert (found.statement_type, found.worthy) == ("biographical", True)


def test_small_talk_of_many_sentences_is_not_kept() -> None:
    assert not classified("Hey, how are you? Haha, that was funny. Thanks for yesterday! See you soon. Bye!").worthy


def test_a_clear_statement_is_told_with_more_confidence_than_a_scrap() -> None:
    assert classified("I go running every morning before work.").confidence > 0.9 > classified("the").confidence


@pytest.mark.parametrize("text", ["", " ", "?", "…", "。", "😀", "0", "a", "\n\n", "ß", "İ", "ﬁ", "'", "n't", "i" * 8000])
def test_odd_texts_get_an_answer(text: str) -> None:
    found = classified(text)
    assert 1 <= found.level <= 5
    assert 0.0 <= found.confidence <= 1.0


@given(st.text(max_size=200))
def test_any_text_gets_the_same_answer_twice_from_the_closed_vocabularies(text: str) -> None:
    found = classify(text, None)
    assert found == classify(text, None)
    assert found.statement_type in get_args(StatementType)
    assert found.category in get_args(Category)
    assert 1 <= found.level <= 5
    assert 0.0 <= found.confidence <= 1.0


def test_features_are_hashed_alike_in_every_process() -> None:
    assert crc32(b"word:hello") % SLOTS in features("Hello there").slots
    assert features("I like tea").slots[:4].tolist() == [54567, 28712, 47971, 4302]


def test_the_work_grows_no_faster_than_the_text() -> None:
    varied = " ".join(f"{chr(97 + place % 26)}{chr(97 + place // 26 % 26)}word" for place in range(1000))
    assert len(features(varied).slots) < 10 * len(varied)
    assert len(features("I like tea. " * 600).slots) < 2 * len(features("I like tea. " * 3).slots)


def test_the_model_is_small() -> None:
    assert len((files("commonplace") / "data" / "classifier.npz").read_bytes()) < 2_000_000


def test_the_model_has_every_type_and_every_category() -> None:
    assert {label.statement_type for label in shipped().labels} == set(get_args(StatementType))
    assert {label.category for label in shipped().labels} == set(get_args(Category))


def test_a_saved_model_comes_back_as_it_was(tmp_path: Path) -> None:
    model = shipped()
    model.save(tmp_path / "model.npz")
    again = load(tmp_path / "model.npz")
    assert (again.labels, again.tuning) == (model.labels, model.tuning)
    assert np.array_equal(again.heads.words, model.heads.words)


def test_a_model_of_other_features_is_refused(tmp_path: Path) -> None:
    model = shipped()
    Model(model.labels, model.heads._replace(words=model.heads.words[:100]), model.tuning).save(tmp_path / "model.npz")
    with pytest.raises(ValueError, match="train the model again"):
        load(tmp_path / "model.npz")


def test_shares_of_labels_add_up_to_one() -> None:
    model = shipped()
    shares = label_shares(model.labels, model.tuning.temperature, model.heads.scores("I like tea.", None))
    assert sum(shares.values()) == pytest.approx(1.0)
    assert set(shares) == set(model.labels)


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        ("I’m sure you can't", "i am sure you can not"),
        ("im not, dont ask", "i am not, do not ask"),
        ("i 'm here and it isn 't", "i am here and it is not"),
        ("Crème brûlée, 25 €", "creme brulee, 00 €"),
        ("We’ll see, I'd rather", "we will see, i would rather"),
        ("important, timid, olive, data", "important, timid, olive, data"),
        ("ガラス", "ガラス"),
    ],
)
def test_a_text_is_brought_into_one_spelling(text: str, plain: str) -> None:
    assert normal(text) == plain


def test_sentences_end_at_their_marks_and_lone_marks_are_none() -> None:
    assert sentences("so . . . tea ! coffee ?") == [["so", "."], ["tea", "!"], ["coffee", "?"]]
    assert sentences("...") == [[]]


def test_the_longest_cue_wins_and_a_star_stands_for_any_ending() -> None:
    found = tag("i would rather have no allergens".split())
    assert "<prefer>" in found.skeleton
    assert "health" not in found.classes[5]
    assert "health" in tag(["anaphylactic"]).classes[0]


def test_cues_are_found_in_scripts_without_spaces() -> None:
    assert "like" in unspaced_classes("我喜欢茶")
    assert unspaced_classes("tea") == []


def test_every_cue_class_has_cues() -> None:
    table = lexicon()
    listed = {name for names in (*table.phrases.values(), *table.stems.values()) for name in names}
    assert listed >= {name for _, name in table.unspaced}
