"""Claude's memory tool: against the SDK's own tool over files, by the SDK's runner, and what a path may not do."""

import re
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import anyio
import pytest
from anthropic import Anthropic, AsyncAnthropic
from anthropic.lib.tools import ToolError
from anthropic.tools.memory import BetaLocalFilesystemMemoryTool
from hypothesis import given
from hypothesis import strategies as st

from commonplace import Commonplace
from commonplace.client.documents import Documents
from commonplace.integrations import memory_files
from commonplace.integrations.anthropic import AsyncMemoryTool, MemoryTool
from tests.examples import examples
from tests.integration.scripted_messages_api import Answers, ScriptedMessagesApi

pytestmark = pytest.mark.integration

PAGE = (Path(__file__).parents[2] / "docs" / "agents.md").read_text("utf-8")
PLAIN = ("a", "b", "d", "d/a", "d/B.md", "d/e", "d/e/a", "d/e/f/ü 1", ".hidden", "d/.h/a")
ODD = (
    "/memories", "/memories/", "/memories//a", "/memories/a/", "/memories/./a", "/memories/d/../b", "/memories/../x", "/",
    "/memories/../memories/a", "/etc/passwd", "memories/a", "/memories/../../memories/a",
)  # fmt: skip
PATHS = st.one_of(*[st.sampled_from(PLAIN).map("/memories/{}".format)] * 4, st.sampled_from(ODD))
TEXTS = st.text(alphabet="ab \n\r\té日", max_size=8)
PARTS = st.text(alphabet="ab\n", max_size=2)
COMMANDS = st.one_of(
    st.fixed_dictionaries(
        {"command": st.just("view"), "path": PATHS},
        optional={"view_range": st.lists(st.integers(-2, 5), min_size=1, max_size=3)},
    ),
    st.fixed_dictionaries({"command": st.just("create"), "path": PATHS, "file_text": TEXTS}),
    st.fixed_dictionaries({"command": st.just("str_replace"), "path": PATHS, "old_str": PARTS, "new_str": TEXTS}),
    st.fixed_dictionaries(
        {"command": st.just("insert"), "path": PATHS, "insert_line": st.integers(-1, 4), "insert_text": TEXTS}
    ),
    st.fixed_dictionaries({"command": st.just("delete"), "path": PATHS}),
    st.fixed_dictionaries({"command": st.just("rename"), "old_path": PATHS, "new_path": PATHS}),
)


def answer(tool: Any, command: dict[str, Any]) -> tuple[str, str]:
    """What a tool answers to a command: `said`, `refused`, or, where the machine's own error got out, `failed`."""
    try:
        return "said", str(tool.call(command))
    except ToolError as error:
        return "refused", str(error.content)
    except OSError as error:
        return "failed", type(error).__name__


def answer_over_files(tool: BetaLocalFilesystemMemoryTool, command: dict[str, Any]) -> tuple[str, str]:
    """The same of the SDK's own tool, without the folder that its `rename` leaves behind where it fails."""
    before = set(tool.memory_root.rglob("*"))
    told = answer(tool, command)
    if command["command"] == "rename" and told[0] != "said":
        for folder in sorted(set(tool.memory_root.rglob("*")) - before, reverse=True):
            folder.rmdir()
    return told


def comparable(told: tuple[str, str]) -> tuple[str, list[str]]:
    """Without the sizes of folders, which are the file system's own, and with ten of the places of a text at the most."""
    lines = re.sub(r"(in lines: (?:\d+, ){9}\d+)(?:, \d+)+\.", r"\1 and more.", told[1]).split("\n")
    if not lines[0].startswith("Here're"):
        return told[0], lines
    return told[0], [one.partition("\t")[2] if number == 1 or one.endswith("/") else one for number, one in enumerate(lines)]


@pytest.fixture(scope="module")
def tools(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[MemoryTool, BetaLocalFilesystemMemoryTool]]:
    folder = tmp_path_factory.mktemp("memory_tool")
    with Commonplace(folder / "memory.db") as memory:
        yield MemoryTool(memory), BetaLocalFilesystemMemoryTool(str(folder))


@examples(100)
@given(st.lists(TEXTS, min_size=2, max_size=2), st.lists(COMMANDS, min_size=2, max_size=12))
def test_it_answers_as_the_tool_over_files_does(
    tools: tuple[MemoryTool, BetaLocalFilesystemMemoryTool], texts: list[str], commands: list[dict[str, Any]]
) -> None:
    own, theirs = tools
    for tool in tools:
        tool.clear_all_memory()
    made = (
        {"command": "create", "path": f"/memories/{name}", "file_text": text}
        for name, text in zip(("a", "d/a"), texts, strict=True)
    )
    for command in (*made, *commands):
        ours, expected = answer(own, command), answer_over_files(theirs, command)
        if expected[0] == "failed":
            assert ours[0] == "refused", (command, ours)
        else:
            assert comparable(ours) == comparable(expected), command


@pytest.mark.parametrize(
    "path",
    [
        "/memories/../x", "/memories/../../etc/passwd", "/memories/a/../../x", "/memories/%2e%2e/x", "/memories/%2E%2E%2Fx",
        "/memories/..%2fx", "/memories/%252e%252e%252fx", "/memories/..\\x", "/memories/%2e%2e%5cx", "/memories/.%2e/x",
        "/memories2/x", "/memoriesx", "/etc/passwd", "memories/x", "", "/", "/memories/a\x00b", "/memories/\ud800",
        "/memories/" + "x" * 1_000,
    ],
)  # fmt: skip
def test_a_path_beyond_the_root_or_none_at_all_is_refused(memory: Commonplace, path: str) -> None:
    tool = MemoryTool(memory)
    tool.call({"command": "create", "path": "/memories/there", "file_text": "tea"})
    for command in (
        {"command": "create", "path": path, "file_text": "x"},
        {"command": "rename", "old_path": "/memories/there", "new_path": path},
        {"command": "view", "path": path},
        {"command": "delete", "path": path},
    ):
        assert answer(tool, command)[0] == "refused"
    assert [one.key for one in memory.documents.listed()] == ["there"]


def test_a_secret_is_told_and_never_kept(memory: Commonplace, memory_file: Path) -> None:
    tool = MemoryTool(memory)
    created = tool.call({"command": "create", "path": "/memories/a", "file_text": "tea\nmy password is blue-monkey-42\n"})
    assert "password taken out" in str(created)
    inserted = {"command": "insert", "path": "/memories/a", "insert_line": 0, "insert_text": "key sk-ant-api03-" + "aB3" * 30}
    replaced = {"command": "str_replace", "path": "/memories/a", "old_str": "tea", "new_str": "my password is red-monkey-43"}
    assert [("taken out" in str(tool.call(command))) for command in (inserted, replaced)] == [True, True]
    shown = str(tool.call({"command": "view", "path": "/memories/a"}))
    assert shown.count("[redacted:") == 3
    memory.close()
    kept = b"".join(one.read_bytes() for one in memory_file.parent.glob(f"{memory_file.name}*"))
    assert not [word for word in (b"blue-monkey", b"red-monkey", b"aB3aB3") if word in kept]


def test_what_another_wrote_meanwhile_is_not_written_over(memory: Commonplace, monkeypatch: pytest.MonkeyPatch) -> None:
    tool, place = MemoryTool(memory), (("memories",), "a")
    tool.call({"command": "create", "path": "/memories/a", "file_text": "tea"})
    read = memory_files.MemoryFiles.open

    def beaten(self: memory_files.MemoryFiles, where: memory_files.Place) -> Any:
        found = read(self, where)
        memory.documents.write(*place, "coffee")
        return found

    with monkeypatch.context() as patched:
        patched.setattr(memory_files.MemoryFiles, "open", beaten)
        edit = {"command": "str_replace", "path": "/memories/a", "old_str": "tea", "new_str": "milk"}
        kind, why = answer(tool, edit)
    assert (kind, "changed meanwhile" in why) == ("refused", True)
    assert memory.documents.read(*place).body == "coffee"


def test_what_another_wrote_while_a_file_was_moved_stays_where_it_was(
    memory: Commonplace, monkeypatch: pytest.MonkeyPatch
) -> None:
    tool = MemoryTool(memory)
    tool.call({"command": "create", "path": "/memories/d/a", "file_text": "tea"})
    read, rename = Documents.read, {"command": "rename", "old_path": "/memories/d", "new_path": "/memories/e"}

    def beaten(self: Documents, *place: Any, **more: Any) -> Any:
        found = read(self, *place, **more)
        memory.documents.write(("memories", "d"), "a", "coffee")
        return found

    with monkeypatch.context() as patched:
        patched.setattr(Documents, "read", beaten)
        kind, why = answer(tool, rename)
    assert (kind, "changed meanwhile" in why) == ("refused", True)
    assert [(one.namespace, one.key) for one in memory.documents.listed()] == [(("memories", "d"), "a")]
    tool.call(rename)
    assert memory.documents.read(("memories", "e"), "a").body == "coffee"


def test_a_rename_that_fails_leaves_everything_as_it_was(memory: Commonplace) -> None:
    tool = MemoryTool(memory)
    tool.call({"command": "create", "path": "/memories/a", "file_text": "tea"})
    tool.call({"command": "create", "path": f"/memories/d/a/{'x' * 800}", "file_text": "milk"})
    tool.call({"command": "create", "path": "/memories/d/b", "file_text": "tea"})

    def there() -> list[tuple[tuple[str, ...], str, int]]:
        return [(one.namespace, one.key, one.version) for one in memory.documents.listed()]

    before = there()
    for old, new in (
        ("none", "new/deep/x"),
        ("d", "d/in/itself"),
        ("a", "new/x" + "y" * 900),
        ("a", "new/sk-ant-api03-" + "aB3" * 30),
        ("d", "new/" + "y" * 100),
    ):
        command = {"command": "rename", "old_path": f"/memories/{old}", "new_path": f"/memories/{new}"}
        assert (answer(tool, command)[0], there()) == ("refused", before)


def test_a_folder_of_which_one_file_was_written_meanwhile_stays_where_it_was(
    memory: Commonplace, monkeypatch: pytest.MonkeyPatch
) -> None:
    tool = MemoryTool(memory)
    for name in ("a", "b"):
        tool.call({"command": "create", "path": f"/memories/d/{name}", "file_text": name})
    delete = Documents.delete

    def beaten(self: Documents, namespace: Any, key: str, **more: Any) -> Any:
        if key == "b" and namespace == ("memories", "d"):
            memory.documents.write(namespace, key, "coffee")
        return delete(self, namespace, key, **more)

    with monkeypatch.context() as patched:
        patched.setattr(Documents, "delete", beaten)
        kind, why = answer(tool, {"command": "rename", "old_path": "/memories/d", "new_path": "/memories/e"})
    assert (kind, "changed meanwhile" in why) == ("refused", True)
    bodies = [memory.documents.read(one.namespace, one.key).body for one in memory.documents.listed()]
    assert ([one.path for one in memory.documents.listed()], bodies) == (["memories/d/a", "memories/d/b"], ["a", "coffee"])


def test_a_json_document_that_is_renamed_stays_one(memory: Commonplace) -> None:
    memory.documents.write(("memories",), "a", '{"likes": "tea"}', form="json", fields=["likes"])
    MemoryTool(memory).call({"command": "rename", "old_path": "/memories/a", "new_path": "/memories/b"})
    moved = memory.documents.read(("memories",), "b")
    assert (moved.form, moved.fields, moved.body) == ("json", ("likes",), '{"likes": "tea"}')


@pytest.mark.parametrize(
    ("old", "shown"), [("", "1, 1, 2, 2, 3, 3, 4, 4, 5, 5 and more"), ("a", "1, 2, 3, 4, 5, 6, 7, 8, 9, 10 and more")]
)
def test_a_text_that_stands_in_many_places_names_ten_of_them_at_once(memory: Commonplace, old: str, shown: str) -> None:
    tool = MemoryTool(memory)
    tool.call({"command": "create", "path": "/memories/a", "file_text": "a\n" * 60_000})
    began = time.process_time()
    kind, why = answer(tool, {"command": "str_replace", "path": "/memories/a", "old_str": old, "new_str": "b"})
    assert (kind, why.partition("in lines: ")[2]) == ("refused", f"{shown}. Please ensure it is unique")
    assert time.process_time() - began < 2


@pytest.mark.parametrize(("copies", "why"), [(0, "did not appear verbatim in /memories/a."), (2, "in lines: 1, 2.")])
def test_a_long_text_that_is_not_replaced_is_repeated_in_part(memory: Commonplace, copies: int, why: str) -> None:
    tool, old = MemoryTool(memory), "b" * 100_000
    tool.call({"command": "create", "path": "/memories/a", "file_text": f"{old}\n" * copies or "tea"})
    kind, text = answer(tool, {"command": "str_replace", "path": "/memories/a", "old_str": old, "new_str": "c"})
    assert kind == "refused"
    assert f"old_str `{'b' * 200}…` {why}" in text
    assert len(text) < 400


def test_an_empty_text_is_replaced_in_an_empty_file_alone(memory: Commonplace) -> None:
    tool = MemoryTool(memory)
    tool.call({"command": "create", "path": "/memories/a", "file_text": ""})
    for expected, new in (("said", "tea"), ("refused", "milk")):
        command = {"command": "str_replace", "path": "/memories/a", "old_str": "", "new_str": new}
        assert answer(tool, command)[0] == expected
    assert memory.documents.read(("memories",), "a").body == "tea"


def test_files_that_were_deleted_or_moved_can_come_back(memory: Commonplace) -> None:
    tool = MemoryTool(memory)
    for name in ("a", "deep/b"):
        tool.call({"command": "create", "path": f"/memories/d/{name}", "file_text": f"tea of {name}"})
    tool.call({"command": "rename", "old_path": "/memories/d", "new_path": "/memories/e"})
    assert memory.search_memory("whose tea of deep/b?").results[0].content == "tea of deep/b"
    tool.call({"command": "delete", "path": "/memories/e"})
    assert memory.search_memory("tea").results == []
    memory.documents.undo(("memories", "e", "deep"), "b")
    assert "tea of deep/b" in str(tool.call({"command": "view", "path": "/memories/e/deep/b"}))


SCRIPT = (
    {"command": "view", "path": "/memories"},
    {"command": "create", "path": "/memories/user.md", "file_text": "Ana drinks green tea.\n"},
    {"command": "view", "path": "/etc/passwd"},
)


def steps() -> list[Answers]:
    """What the model answers: the commands one by one, then a word."""
    blocks = [{"type": "tool_use", "id": f"toolu_{n}", "name": "memory", "input": one} for n, one in enumerate(SCRIPT)]
    return [*(Answers(blocks=(one,), stop_reason="tool_use") for one in blocks), Answers("I know you now.")]


def check_talk(api: ScriptedMessagesApi, memory: Commonplace) -> None:
    """What the server was told: the tool by its type, and the result of each call."""
    assert api.requests[0].body["tools"] == [{"type": "memory_20250818", "name": "memory"}]
    told = [one.body["messages"][-1]["content"][0] for one in api.requests[1:]]
    assert [one.get("is_error", False) for one in told] == [False, False, True]
    assert "/memories" in str(told[0]["content"])
    assert "File created successfully at: /memories/user.md" in str(told[1]["content"])
    assert memory.search_memory("what does Ana drink?").results[0].content == "Ana drinks green tea."


def test_the_sdks_runner_runs_it(memory: Commonplace) -> None:
    with ScriptedMessagesApi(steps()) as api, Anthropic(api_key="k", base_url=api.base_url, max_retries=0) as client:
        runner = client.beta.messages.tool_runner(
            model="claude", max_tokens=100, tools=[MemoryTool(memory)], messages=[{"role": "user", "content": "Hello"}]
        )
        assert "I know you now." in str(runner.until_done().content)
        check_talk(api, memory)


def test_the_sdks_asynchronous_runner_runs_it(memory: Commonplace) -> None:
    async def talk(url: str) -> str:
        async with AsyncAnthropic(api_key="k", base_url=url, max_retries=0) as client:
            runner = client.beta.messages.tool_runner(
                model="claude",
                max_tokens=100,
                tools=[AsyncMemoryTool(memory)],
                messages=[{"role": "user", "content": "Hello"}],
            )
            return str((await runner.until_done()).content)

    with ScriptedMessagesApi(steps()) as api:
        assert "I know you now." in anyio.run(talk, api.base_url)
        check_talk(api, memory)


def test_the_code_of_the_page_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (section,) = re.findall(r"^## Claude's memory tool\n(.*?)(?=^## )", PAGE, re.DOTALL | re.MULTILINE)
    (code,) = re.findall(r"^```python\n(.*?)^```", section, re.DOTALL | re.MULTILINE)
    monkeypatch.chdir(tmp_path)
    with ScriptedMessagesApi(steps()) as api:
        monkeypatch.setenv("ANTHROPIC_API_KEY", "k")
        monkeypatch.setenv("ANTHROPIC_BASE_URL", api.base_url)
        exec(compile(code, "docs/agents.md", "exec"), {})
        assert len(api.requests) == 4
