"""The optional embedder: where it asks, how long it may take, and what it makes of the answer."""

import io
import json
import threading
from typing import Any

import numpy as np
import pytest
from botocore.exceptions import ClientError, ReadTimeoutError

from commonplace.adapters.bedrock import TitanEmbedder
from commonplace.adapters.sentence_encoder import SentenceEncoder
from commonplace.adapters.static_embedder import StaticEmbedder
from commonplace.bootstrap.cloud import MODELS
from commonplace.bootstrap.models import SENTENCE_ENCODER, embedder_of
from commonplace.domain.errors import CommonplaceError, ErrorCode
from commonplace.memories.enrich import PrecomputedEmbedder
from commonplace.settings import read_settings

LONGEST_BACKOFF = 1 + 2 + 4  # seconds, of three pauses
A_FUNCTION_HAS = 29.0


class Bedrock:
    """Answers with one vector, or fails."""

    def __init__(self, answer: object) -> None:
        self.answer, self.asked = answer, list[dict[str, Any]]()

    def invoke_model(self, **asked: Any) -> dict[str, Any]:
        self.asked.append(asked)
        if isinstance(self.answer, Exception):
            raise self.answer
        return {"body": io.BytesIO(json.dumps({"embedding": self.answer}).encode())}


@pytest.fixture(autouse=True)
def _a_machine_of_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    """As the page for AWS has it: a region in `AWS_REGION`, which boto3 itself doesn't look at."""
    for name in ("AWS_DEFAULT_REGION", "AWS_PROFILE"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("AWS_CONFIG_FILE", "/nowhere")
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "test")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "test")


def test_it_asks_in_the_region_of_the_settings() -> None:
    made = embedder_of(
        read_settings({"AWS_REGION": "eu-west-3", "COMMONPLACE_EMBEDDER": "titan"}), TitanEmbedder(Bedrock([]))
    )
    assert isinstance(made, TitanEmbedder)
    assert made._client.meta.region_name == "eu-west-3"


def test_a_function_has_time_left_when_it_gives_up() -> None:
    config = TitanEmbedder(region="eu-west-3")._client.meta.config
    once = config.connect_timeout + config.read_timeout
    assert config.retries["total_max_attempts"] * once + LONGEST_BACKOFF < A_FUNCTION_HAS - 5


def test_a_vector_is_made_a_unit() -> None:
    bedrock = Bedrock([3.0] * 256)
    vector = TitanEmbedder(bedrock).embed("tea")
    assert vector is not None
    assert vector.dtype == np.float32
    assert np.linalg.norm(vector) == pytest.approx(1)
    assert json.loads(bedrock.asked[0]["body"])["inputText"] == "tea"
    assert TitanEmbedder(Bedrock([])).embed("  ") is None


@pytest.mark.parametrize(
    "answer",
    [
        ClientError({"Error": {"Code": "ThrottlingException", "Message": "tea"}}, "InvokeModel"),
        ReadTimeoutError(endpoint_url="https://tea"),
        [0.0] * 256,
        [1.0] * 255,
        [float("nan")] * 256,
    ],
)
def test_no_answer_is_an_error_that_may_pass_without_a_word_of_it(answer: object) -> None:
    with pytest.raises(CommonplaceError) as caught:
        TitanEmbedder(Bedrock(answer)).embed("tea")
    assert caught.value.code is ErrorCode.STORAGE_UNAVAILABLE
    assert "tea" not in str(caught.value)


def test_of_a_text_with_more_tokens_than_it_takes_the_beginning_is_embedded() -> None:
    class Short(Bedrock):
        def invoke_model(self, **asked: Any) -> dict[str, Any]:
            told = super().invoke_model(**asked)
            if len(json.loads(asked["body"])["inputText"]) <= 3_000:
                return told
            words = "400 Bad Request: Too many input tokens. Max input tokens: 8192, request input token count: 9875"
            raise ClientError({"Error": {"Code": "ValidationException", "Message": words}}, "InvokeModel")

    bedrock = Short([1.0] * 256)
    assert TitanEmbedder(bedrock).embed("寿" * 8_000) is not None
    assert [len(json.loads(asked["body"])["inputText"]) for asked in bedrock.asked] == [8_000, 4_000, 2_000]


def test_an_index_is_laid_out_for_the_models_there_are() -> None:
    assert MODELS["static"] == (StaticEmbedder.name, StaticEmbedder.dimension)
    assert MODELS["sentence"] == (SentenceEncoder.name, SentenceEncoder.dimension)
    assert SentenceEncoder.name == SENTENCE_ENCODER
    assert MODELS["titan"] == (TitanEmbedder.name, TitanEmbedder.dimension)


def test_many_texts_are_asked_several_at_a_time_and_answered_in_their_order() -> None:
    together = threading.Barrier(4, timeout=5)

    class Slow(Bedrock):
        def invoke_model(self, **asked: Any) -> dict[str, Any]:
            together.wait()  # passes only when four ask at once
            place = int(json.loads(asked["body"])["inputText"])
            return {"body": io.BytesIO(json.dumps({"embedding": [float(at == place) for at in range(256)]}).encode())}

    vectors = TitanEmbedder(Slow([])).embed_all([str(number) for number in range(8)])
    assert [int(vector.argmax()) for vector in vectors if vector is not None] == list(range(8))


def test_the_same_text_is_asked_for_once_and_its_vector_stays_as_it_is() -> None:
    bedrock = Bedrock([1.0] * 256)
    embedder = TitanEmbedder(bedrock)
    vector = embedder.embed("tea")
    assert vector is not None
    assert embedder.embed_question("tea") is vector
    assert [one is vector for one in embedder.embed_all(["tea", "milk", "milk", "tea"])] == [True, False, False, True]
    assert [json.loads(asked["body"])["inputText"] for asked in bedrock.asked] == ["tea", "milk"]
    with pytest.raises(ValueError, match="read-only"):
        vector[0] = 2.0
    assert TitanEmbedder(bedrock).embed("tea") is not vector  # of another embedder, which may ask elsewhere


def test_of_more_texts_than_it_keeps_the_longest_unused_one_is_asked_for_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("commonplace.adapters.bedrock._CACHE_SIZE", 2)
    bedrock = Bedrock([1.0] * 256)
    embedder = TitanEmbedder(bedrock)
    for text in ("tea", "milk", "tea", "water", "tea", "milk"):
        embedder.embed(text)
    assert [json.loads(asked["body"])["inputText"] for asked in bedrock.asked] == ["tea", "milk", "water", "milk"]


def test_a_failure_is_not_kept() -> None:
    bedrock = Bedrock(ReadTimeoutError(endpoint_url="https://bedrock"))
    embedder = TitanEmbedder(bedrock)
    for _ in range(2):
        with pytest.raises(CommonplaceError):
            embedder.embed("tea")
    bedrock.answer = [1.0] * 256
    assert embedder.embed("tea") is not None
    assert len(bedrock.asked) == 3


def test_vectors_at_hand_are_not_made_again() -> None:
    bedrock = Bedrock([1.0] * 256)
    embedder = PrecomputedEmbedder.of(["tea", "milk", "tea"], TitanEmbedder(bedrock))
    for text in ("tea", "milk"):
        embedder.embed(text)
    assert len(bedrock.asked) == 2
    embedder.embed_all(["tea", "water"])
    assert len(bedrock.asked) == 3
