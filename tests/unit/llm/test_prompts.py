"""What a model is told for the night: its examples obey its own rules, and its version tells its words."""

import json
import re

import pytest

from commonplace.extraction.candidate import Decision
from commonplace.extraction.days import Day, Utterance
from commonplace.extraction.grounding.support import unsupported_reason
from commonplace.llm import prompts
from commonplace.llm.prompts import instructions, prompt_version
from commonplace.nightly.agent import REQUESTS
from commonplace.nightly.llm_extraction import parse_proposal
from commonplace.nightly.pipeline import Choice
from tests.unit.nightly.scripted import DATE, MORNING


def examples() -> list[tuple[Day, int, list[dict[str, object]]]]:
    """Each example of the extraction as a day, the number of its message, and its answer."""
    found = []
    for shown, answer in re.findall(r"^(\{\"message\".+)\n(\{\"memories\".+)$", instructions("extract"), re.MULTILINE):
        line = json.loads(shown)
        words = line["user"]
        own = tuple((part.start(), part.end()) for part in re.finditer(r"[^\[\]…]+", words))
        said = Utterance(line["interaction_id"], 1, "user", words, MORNING, own)
        before = Utterance(line["interaction_id"], 0, "assistant", line.get("assistant_before", "Hello."), MORNING)
        found.append((Day(DATE, (before, said)), line["message"], json.loads(answer)["memories"]))
    return found


def test_the_examples_of_the_extraction_pass_every_gate() -> None:
    assert [len(items) for _, _, items in examples()] == [1, 1, 1, 0]
    for day, number, items in examples():
        for item in items:
            candidate = parse_proposal(item, {number: day.utterances[1]})
            assert not isinstance(candidate, str), candidate
            assert unsupported_reason(Decision(candidate, "FORGET" if candidate.forgets else "ADD"), day, ()) is None


def test_the_examples_of_the_decision_are_decisions_on_what_is_shown() -> None:
    shown = set(re.findall(r'"memory_id": "(mem_\w+)"', instructions("decide")))
    answers = re.findall(r"^answer: (.+)$", instructions("decide"), re.MULTILINE)
    choices = [Choice.model_validate(item) for answer in answers for item in json.loads(answer)["decisions"]]
    assert [one.operation for one in choices] == ["UPDATE", "ADD", "NOOP", "DELETE"]
    assert {one.target_memory_id for one in choices} <= {*shown, None}


def test_the_examples_of_the_agent_call_its_tools_as_they_are() -> None:
    calls = re.findall(r"^(\w+_memory) (\{.+?\})(?: ->.*)?$", instructions("agent"), re.MULTILINE)
    assert [name for name, _ in calls] == ["search_memory", "update_memory"]
    for name, given in calls:
        REQUESTS[name][0].model_validate_json(given)
    assert all(name in instructions("agent") for name in REQUESTS)


def test_the_version_changes_with_the_words(monkeypatch: pytest.MonkeyPatch) -> None:
    before = prompt_version("pipeline"), prompt_version("agent")
    assert all(version and re.fullmatch(r"[0-9a-f]{12}", version) for version in before)
    assert prompt_version("rules") is None
    monkeypatch.setattr(prompts, "instructions", lambda name: instructions(name) + ("!" if name == "decide" else ""))
    after = prompt_version("pipeline"), prompt_version("agent")
    assert before[0] != after[0]
    assert before[1] == after[1]
