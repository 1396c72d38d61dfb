"""What one function asks of another, through the adapter and the vendor's own client."""

import threading
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import pytest

from cloud.invoke_api import invoke_api
from commonplace.adapters import lambda_functions
from commonplace.adapters.lambda_functions import LambdaFunctions
from commonplace.bootstrap.functions import open_functions
from commonplace.domain.errors import CommonplaceError, ErrorCode
from commonplace.settings import Settings

Answer = Callable[[str, Mapping[str, Any]], Mapping[str, Any]]


def store(event: dict[str, Any], context: Any) -> Any:
    return {"got": event, "by": context.function_name, "left": context.get_remaining_time_in_millis() > 20_000}


def search(event: dict[str, Any], context: Any) -> Any:
    raise ValueError("what somebody said")


@pytest.fixture
def answer(monkeypatch: pytest.MonkeyPatch) -> Iterator[Answer]:
    given = {"AWS_ACCESS_KEY_ID": "test", "AWS_SECRET_ACCESS_KEY": "test"}
    with invoke_api({"the-store": store, "the-search": search}) as url:
        for name, value in (given | {"AWS_ENDPOINT_URL_LAMBDA": url}).items():
            monkeypatch.setenv(name, value)
        named = {"store": "the-store", "search": "the-search", "gone": "the-gone"}
        yield open_functions(Settings(tool_functions=",".join(f"{name}={target}" for name, target in named.items())))


def test_an_event_comes_whole_and_so_does_the_answer(answer: Answer) -> None:
    event = {"body": "\u00e9\u65e5\U0001f980", "n": [1, None]}
    assert answer("store", event) == {"got": event, "by": "the-store", "left": True}


@pytest.mark.parametrize(("function", "kind"), [("search", "Unhandled"), ("gone", "ResourceNotFoundException")])
def test_what_does_not_answer_may_be_asked_again(answer: Answer, function: str, kind: str) -> None:
    with pytest.raises(CommonplaceError, match=kind) as refused:
        answer(function, {})
    assert refused.value.code is ErrorCode.STORAGE_UNAVAILABLE
    assert "what somebody said" not in str(refused.value)


def test_it_is_asked_once_and_not_for_longer_than_is_left(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lambda_functions, "_READ_SECONDS", 0.2)
    asked: list[object] = []
    ended = threading.Event()

    def slow(event: dict[str, Any], context: Any) -> None:
        asked.append(event)
        ended.wait(10)

    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"):
        monkeypatch.setenv(name, "test")
    with invoke_api({"slow": slow}) as url:
        monkeypatch.setenv("AWS_ENDPOINT_URL_LAMBDA", url)
        functions = LambdaFunctions(lambda_functions.connect("eu-central-1"), {"slow": "slow"})
        with pytest.raises(CommonplaceError, match="ReadTimeoutError"):
            functions.answer("slow", {})
        ended.set()
    assert asked == [{}]


def test_who_names_no_functions_is_told_which_setting() -> None:
    with pytest.raises(CommonplaceError, match="COMMONPLACE_TOOL_FUNCTIONS"):
        open_functions(Settings())
