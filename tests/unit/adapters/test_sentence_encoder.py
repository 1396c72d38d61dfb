"""The sentence encoders of the package: what gets a vector, and what the vectors say."""

import numpy as np
import pytest

from commonplace.adapters.sentence_encoder import EncoderModel, Means, SentenceEncoder
from commonplace.bootstrap.models import DIMENSION, SENTENCE_ENCODER

ENCODER = SentenceEncoder()


def cosine(one: str, other: str) -> float:
    first, second = ENCODER.embed(one), ENCODER.embed(other)
    assert first is not None
    assert second is not None
    return float(first @ second)


@pytest.mark.parametrize(
    "text", ["I'm 43", "Ich wohne in Kiel", "東京に住んでいます", "ฉันชอบชา", "я медсестра", "أنا ممرضة", "x", "word " * 3_000]
)
def test_a_vector_has_length_one(text: str) -> None:
    vector = ENCODER.embed(text)
    assert vector is not None
    assert vector.shape == (256,)
    assert vector.dtype == np.float32
    assert np.linalg.norm(vector) == pytest.approx(1, abs=1e-5)


@pytest.mark.parametrize("text", ["", "  ", "नमस्ते दुनिया", "მე ექთანი ვარ", "Είμαι νοσοκόμα"])
def test_a_text_of_another_script_has_none(text: str) -> None:
    assert ENCODER.embed(text) is None


@pytest.mark.parametrize(
    ("question", "answer", "other"),
    [
        ("what do I do for a living?", "I work as a nurse in Leeds", "My cat is called Miso"),
        ("How old am I?", "I'm 43", "my wifi router is an Eero"),
        ("Wo arbeite ich?", "Ich bin Krankenpfleger in Kiel", "Meine Katze heißt Miso"),
        ("¿tengo alergias?", "no puedo comer cacahuetes", "mi hermana vive en Lima"),
        ("私の仕事は何ですか", "看護師として働いています", "猫の名前はミソです"),
        ("Where do I work?", "Ich bin Krankenpfleger in Kiel", "Meine Katze heißt Miso"),
        ("我做什么工作？", "我在医院当护士", "我的猫叫味噌"),
        ("내 직업이 뭐야?", "저는 병원에서 간호사로 일해요", "우리 고양이 이름은 미소예요"),
        ("Кем я работаю?", "Я медсестра в больнице", "Мою кошку зовут Мисо"),
        ("أين أسكن؟", "أعيش في الرباط مع أمي", "اسم قطتي ميسو"),
        ("ฉันทำงานอะไร", "ฉันเป็นพยาบาลที่โรงพยาบาล", "แมวของฉันชื่อมิโซะ"),
    ],
)
def test_the_answer_is_nearer_than_another_memory(question: str, answer: str, other: str) -> None:
    assert cosine(question, answer) > cosine(question, other) + 0.1


ASKED = {
    "Who do I share my life with?": "My husband is called Piet",
    "what's the plan for my next holiday?": "Flying to Lisbon on 4 June",
    "user's medication": "2 puffs of salbutamol before running",
    "How do I get to work?": "I take the 38 tram every morning",
    "Was mache ich beruflich?": "Ich bin Tischlerin in Kiel",
    "¿a qué me dedico?": "Soy fontanera en Cádiz",
    "何歳ですか": "今年で四十三になりました",
}


def test_answers_stand_out_more_beside_questions_than_beside_mere_texts() -> None:
    answers = np.array([ENCODER.embed(answer) for answer in ASKED.values()])
    as_texts, asked = (np.array([embed(each) for each in ASKED]) for embed in (ENCODER.embed, ENCODER.embed_question))
    assert np.linalg.norm(asked, axis=1) == pytest.approx(1, abs=1e-5)
    right = np.eye(len(ASKED), dtype=bool)

    def lead(questions: np.ndarray) -> float:
        cosines = questions @ answers.T
        others = cosines[~right].reshape(len(ASKED), -1)
        return float(((cosines[right] - others.mean(axis=1)) / others.std(axis=1)).mean())

    assert lead(asked) > lead(as_texts) + 0.3


def test_a_question_of_another_script_has_none() -> None:
    assert ENCODER.embed_question("मुझे क्या पसंद है?") is None


@pytest.mark.parametrize(
    ("said", "kept"),
    [
        ("what is my job", "what is the user's job"),
        ("my dietary restrictions", "user's dietary restrictions"),
        ("Ich wohne in Kiel", "Die nutzende Person sagt: „Ich wohne in Kiel“"),
    ],
)
def test_it_is_one_whether_the_user_says_it_or_it_is_told_of_them(said: str, kept: str) -> None:
    assert cosine(said, kept) == pytest.approx(1, abs=1e-5)


def test_a_long_text_is_read_to_its_end() -> None:
    beginning = "we talked about the garden and the fence for a while. " * 60
    assert cosine(f"{beginning} {'My sister is a surgeon in Oslo. ' * 30}", "a surgeon in Oslo") > cosine(
        beginning, "a surgeon in Oslo"
    )


def test_many_texts_are_embedded_in_their_order() -> None:
    texts = ["tea", "नमस्ते", "coffee"]
    one, none, other = ENCODER.embed_all(texts)
    assert none is None
    assert one is not None
    assert other is not None
    assert not np.allclose(one, other)


def test_the_features_of_a_text_come_from_the_run_that_made_its_vector(monkeypatch: pytest.MonkeyPatch) -> None:
    runs = []
    encoded = EncoderModel._encode_ids

    def counted(model: EncoderModel, ids: list[int]) -> Means:
        runs.append(ids)
        return encoded(model, ids)

    monkeypatch.setattr(EncoderModel, "_encode_ids", counted)
    text = "A text that nothing else embeds: seven herons on the weir."
    vector, features = ENCODER.embed(text), ENCODER.features(text)
    assert vector is not None
    assert features is not None
    assert features.shape == (2 * 512 + 2 * 384,)
    assert features.all()
    assert len(runs) == 1


def test_a_text_in_a_script_that_e5_lacks_has_the_features_of_use_only() -> None:
    features = ENCODER.features("Я три года живу в Киле")
    assert features is not None
    assert features[: 2 * 512].all()
    assert not features[2 * 512 :].any()


def test_a_text_without_a_vector_has_no_features() -> None:
    assert ENCODER.features("मुझे क्या पसंद है?") is None


def test_an_index_is_laid_out_for_the_encoder() -> None:
    assert (SentenceEncoder.name, SentenceEncoder.dimension) == (SENTENCE_ENCODER, DIMENSION)
