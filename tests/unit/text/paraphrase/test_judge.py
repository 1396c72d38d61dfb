"""The judge: what its words veto, what its networks compute, and plain cases of pairs and lists."""

import numpy as np
import pytest

from commonplace.adapters.sentence_encoder import SentenceEncoder
from commonplace.domain.taxonomy import SIMILARITIES
from commonplace.text.paraphrase.judge import (
    BALANCED,
    NEITHER,
    Candidate,
    Comparison,
    Verdict,
    change_odds,
    judge,
    judge_candidates,
    list_features,
)
from commonplace.text.paraphrase.pair_features import Vector, must_differ, pair_features
from commonplace.text.paraphrase.pair_side import side_of
from commonplace.text.paraphrase.repeats import is_repeat

ENCODER = SentenceEncoder()


def verdict(old: str, new: str, least: float = BALANCED) -> Verdict:
    return judge_candidates(new, ENCODER.embed(new), [Candidate(old, ENCODER.embed(old))], ENCODER.name, least)[0]


def outdated(new: str, *facts: str) -> list[str]:
    """The facts that a new statement makes untrue."""
    candidates = [Candidate(fact, ENCODER.embed(fact)) for fact in facts]
    verdicts = judge_candidates(new, ENCODER.embed(new), candidates, ENCODER.name)
    return [fact for fact, found in zip(facts, verdicts, strict=True) if found.change]


def similarity(old: str, new: str) -> float:
    vector, more = ENCODER.embed(old), ENCODER.embed(new)
    assert vector is not None
    assert more is not None
    return judge().similarity(old, new, vector, more)


@pytest.mark.parametrize(
    ("text", "numbers"),
    [
        ("I'm thirty-four years old", {"34"}),
        ("It costs 1,200 euros", {"1200"}),
        ("seven days", {"7"}),
        ("I earn 50k", {"50000"}),
    ],
)
def test_a_number_is_read_as_figures_or_words(text: str, numbers: set[str]) -> None:
    assert side_of(text).numbers == numbers


@pytest.mark.parametrize(
    ("old", "new"), [("I'm 34.", "I'm thirty-four years old."), ("Mi hijo tiene siete años", "mi hijo tiene 7")]
)
def test_the_same_number_in_words_and_figures_is_no_veto(old: str, new: str) -> None:
    assert not must_differ(old, new)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("I'm 34.", "I'm thirty-five years old."),
        ("My sister lives in Rome.", "My brother lives in Rome."),
        ("The exam is on Monday.", "The exam is on Friday."),
        ("I eat meat.", "I don't eat meat."),
        ("I lent Luis 20 euros", "Luis lent I 20 euros"),
        ("I used to smoke at home", "At home I smoke"),
        ("I'm looking for a job", "I found a job"),
        ("I have a car", "I own no vehicle"),
        ("I'm having a baby", "I have a baby"),
        ("犬が猫を追いかけた", "犬を猫が追いかけた"),
    ],
)
def test_another_number_person_time_plan_negation_or_order_is_never_the_same(old: str, new: str) -> None:
    assert must_differ(old, new)
    assert must_differ(new, old)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("I live in Berlin.", "I moved to Munich."),
        ("I have two cats.", "I have three cats."),
        ("Vivo en Sevilla.", "Ahora vivo en Cádiz."),
    ],
)
def test_another_value_of_the_same_matter_is_a_change(old: str, new: str) -> None:
    assert verdict(old, new) == Verdict(same=False, change=True)


@pytest.mark.parametrize(
    ("old", "new"),
    [("I live in Berlin.", "My sister plays the flute."), ("My horse is called Winston.", "I like green tea.")],
)
def test_what_has_nothing_to_do_with_it_is_neither(old: str, new: str) -> None:
    assert verdict(old, new) == NEITHER


@pytest.mark.parametrize(
    ("old", "new"), [("I live in Utrecht.", "My home is in Utrecht."), ("My dad passed away.", "My father is dead.")]
)
def test_another_wording_is_the_same(old: str, new: str) -> None:
    assert verdict(old, new).same


NEVER_THE_SAME = [
    ("I smoke", "I quit smoking"),
    ("I smoke", "I no longer smoke"),
    ("I eat meat", "I gave up meat"),
    ("I work at Bosch", "I stopped working at Bosch"),
    ("I was vegetarian", "I'm vegetarian"),
    ("I used to live in Berlin", "I live in Berlin"),
    ("I moved to Berlin", "I'm going to move to Berlin"),
    ("I want to quit smoking", "I quit smoking"),
    ("I must not eat sugar", "I don't have to eat sugar"),
    ("I'm a total extrovert", "I'm an introvert"),
    ("I have siblings", "I'm an only child"),
    ("Ich rauche", "Ich rauche nicht mehr"),
    ("Vivo con mi madre", "Ya no vivo con mi madre"),
    ("Je voudrais apprendre le japonais", "J'apprends le japonais"),
    ("タバコを吸います", "タバコをやめました"),
]


@pytest.mark.parametrize("setting", SIMILARITIES)
@pytest.mark.parametrize(("old", "new"), NEVER_THE_SAME)
def test_what_leaves_the_other_untrue_is_the_same_in_no_setting(setting: str, old: str, new: str) -> None:
    for one, other in ((old, new), (new, old)):
        assert not is_repeat(one, other)
        assert not verdict(one, other, SIMILARITIES[setting]).same


def test_how_surely_both_say_the_same_does_not_go_by_which_came_first() -> None:
    one, other = "I live alone", "I have a flat to myself"
    there, back = (similarity(*texts) for texts in ((one, other), (other, one)))
    assert there == pytest.approx(back)


def test_the_settings_are_limits_of_one_scale() -> None:
    pair = "I'd rather text than call", "I prefer texting over phone calls"
    sure = similarity(*pair)
    assert sure > 0.9 > 0.3 > similarity("I live in Berlin.", "My sister plays the flute.")
    assert verdict(*pair, sure - 1e-6).same
    assert not verdict(*pair, sure + 1e-6).same


def test_a_pair_without_vectors_of_the_judge_is_neither() -> None:
    vector = ENCODER.embed("I live in Berlin.")
    assert judge_candidates("I moved.", vector, [Candidate("I live in Berlin.", vector)], "another") == [NEITHER]
    assert judge_candidates("I moved.", vector, [Candidate("I live in Berlin.", None)], ENCODER.name) == [NEITHER]
    assert judge_candidates("I moved.", None, [Candidate("I live in Berlin.", vector)], ENCODER.name) == [NEITHER]
    assert judge_candidates("I moved.", vector, [], ENCODER.name) == []


def test_the_odds_are_those_of_the_mean_of_all_networks() -> None:
    rows = np.stack([features("I live in Berlin.", "I moved to Munich."), features("I live in Berlin.", "I like green tea.")])
    model = judge().pairs
    units = model.hidden.shape[1] // len(model.output)
    logs = []
    for at, (output, bias) in enumerate(zip(model.output, model.output_bias, strict=True)):
        mine = slice(at * units, (at + 1) * units)
        shares = np.exp(np.maximum(rows @ model.hidden[:, mine] + model.hidden_bias[mine], 0) @ output + bias)
        logs.append(np.log(shares / shares.sum(axis=1, keepdims=True)))
    shares = np.exp(np.mean(logs, axis=0))
    shares /= shares.sum(axis=1, keepdims=True)
    assert np.allclose(model.log_odds(rows), np.log(shares / (1 - shares))[:, :2], atol=1e-4)


def features(old: str, new: str) -> Vector:
    row: Vector = pair_features([(old, new)], embedded(old)[None], embedded(new)[None])[0]
    return row


def embedded(text: str) -> Vector:
    vector = ENCODER.embed(text)
    assert vector is not None
    return vector


FACTS = (
    "I live in Berlin.", "I'm allergic to nuts.", "My brother Tom lives in Leeds.", "I work as a nurse at St Mary's.",
    "Our dog is called Bruno.", "I play the violin on Thursdays.", "Answer in short sentences, please.",
)  # fmt: skip


@pytest.mark.parametrize(
    ("new", "untrue"),
    [
        ("We moved to Munich last month.", ["I live in Berlin."]),
        ("I no longer smoke.", []),
        ("I bought a red bicycle.", []),
        ("My sister moved to Oslo.", []),
    ],
)
def test_only_the_fact_about_the_same_matter_is_untrue(new: str, untrue: list[str]) -> None:
    assert outdated(new, *FACTS) == untrue


def test_the_order_of_the_candidates_does_not_matter() -> None:
    found = outdated("We moved to Munich last month.", *FACTS)
    assert found == outdated("We moved to Munich last month.", *FACTS[::-1]) == ["I live in Berlin."]


def test_lists_are_judged_together_as_each_alone() -> None:
    known = [(fact, embedded(fact)) for fact in FACTS]
    news = "We moved to Munich last month.", "I no longer smoke.", "My sister moved to Oslo."
    lists = [Comparison(new, embedded(new), known[:at]) for at, new in zip((7, 0, 3), news, strict=True)]
    together = change_odds(lists, ENCODER.name)
    assert [len(odds) for odds in together] == [7, 0, 3]
    for one, odds in zip(lists, together, strict=True):
        assert odds == pytest.approx(change_odds([one], ENCODER.name)[0], abs=1e-4)


def test_a_candidate_without_a_vector_is_neither_and_moves_no_other() -> None:
    new = "We moved to Munich last month."
    candidates = [Candidate("ཞིང་", None), *(Candidate(fact, ENCODER.embed(fact)) for fact in FACTS)]
    verdicts = judge_candidates(new, ENCODER.embed(new), candidates, ENCODER.name)
    assert [place for place, found in enumerate(verdicts) if found != NEITHER] == [1]


def test_a_candidate_is_compared_with_the_best_other() -> None:
    rows = np.zeros((3, 1), dtype=np.float32) + np.zeros(5, dtype=np.float32)
    rows[:, 1] = (0.5, 0.2, 0.4)
    cosines = list_features(rows, np.zeros((3, 2), dtype=np.float32), [False] * 3)
    from_mean, from_best, nearest, nearer, alone = (cosines[:, place] for place in (9, 10, 13, 14, 15))
    assert from_mean == pytest.approx(rows[:, 1] - rows[:, 1].mean(), abs=1e-6)
    assert from_best == pytest.approx([0.1, -0.3, -0.1], abs=1e-6)
    assert (nearest.tolist(), nearer.tolist(), alone.tolist()) == ([1, 0, 0], [0, 2, 1], [0, 0, 0])


def test_a_single_candidate_is_marked_as_alone() -> None:
    row = list_features(np.zeros((1, 5), dtype=np.float32), np.zeros((1, 2), dtype=np.float32), [False])[0]
    assert row[-1] == 1
    assert not row[7:13].any()
