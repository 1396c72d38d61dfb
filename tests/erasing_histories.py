"""Random histories of one statement or passage among others, to be erased at their end."""

import json
from collections.abc import Callable
from pathlib import Path

from hypothesis import strategies as st

from commonplace import Commonplace, CommonplaceError, ErrorCode
from commonplace.integrations.anthropic import MemoryTool

WORD = "zquorbix"
_TEXT = f"Ana keeps a {WORD} in Brno."
_CITIES = ("Graz", "Linz", "Wien", "Oslo", "Bern", "Riga", "Lyon", "Turin", "Cork", "Ghent", "Basel", "Porto")
_OTHERS = ("Ben drinks green tea.", "Ben works in a bakery.", "Ben's sister lives in Faro.", "Ben plays the cello.")
_PETS = tuple(f"Ana keeps a {one} at home." for one in "ferret cat parrot newt gecko horse goat rabbit snake hamster".split())


class History:
    """What happens to a memory that holds `WORD`, as nothing else of the user does. `folder`: for files that are imported."""

    def __init__(self, memory: Commonplace, folder: Path) -> None:
        self.memory = memory
        self._folder = folder
        self._text, self._numbers, self._pets = _TEXT, iter(range(1_000)), iter(_PETS)
        self._path = "/memories/a0.md"
        self._tool = MemoryTool(memory)
        for one in _OTHERS:
            memory.store_memory(one)

    @property
    def target(self) -> str:
        """The id of the active memory that holds the word."""
        (memory_id,) = [name for name, text in self._active() if WORD in text]
        return memory_id

    def remaining(self) -> set[str]:
        """The texts of all active memories that do not hold the word."""
        return {text for _, text in self._active() if WORD not in text}

    def erase(self) -> None:
        """Erases the memory, and nothing that anything else says."""
        before = self.remaining()
        self.memory.erase(self.target)
        assert before <= self.remaining()

    def _active(self) -> list[tuple[str, str]]:
        return [(one["memory_id"], one["raw_text"]) for one in self.memory.export() if one["status"] == "active"]

    def run(self, steps: "list[Step]") -> None:
        """Lets each of these happen, in their order."""
        for step in steps:
            step(self)

    # How it begins.

    def store(self) -> None:
        self.memory.store_memory(self._text, context={"user_note": f"Eva saw the {WORD}"})

    def import_file(self) -> None:
        path = self._folder / f"mem0-{next(self._numbers)}.json"
        path.write_text(json.dumps([{"id": "m1", "memory": self._text}]), "utf-8")
        run_id = self.memory.import_from(path, apply=True).run_id
        assert run_id is not None
        self.memory.undo_run(run_id)
        self.memory.import_from(path, apply=True)
        path.unlink()

    def import_chat(self) -> None:
        said = [{"role": "user", "content": f"I keep a {WORD} at home."}]
        run_id = self.memory.import_messages(said, apply=True).run_id
        assert run_id is not None
        self.memory.undo_run(run_id)
        self.memory.import_messages(said, apply=True)

    def read_at_night(self) -> None:
        said = [{"role": "user", "content": f"I keep a {WORD} at home."}]
        self.memory.record_interactions([{"type": "discussion", "id": "t1", "messages": said}])
        self.memory.undo_run(self.memory.nightly("rules").run_id, reread=True)
        self.memory.nightly("rules")

    def write_file(self) -> None:
        self._command("create", path=self._path, file_text=f"{_OTHERS[0]}\n\n{self._text}\n")

    # What happens to any memory.

    def search(self) -> None:
        self.memory.search_memory(f"where is the {WORD}")
        self.memory.record_feedback(self.target, f"the {WORD} in the house", useful=True)

    def back_up(self) -> None:
        self.memory.backup()

    def export(self) -> None:
        self.memory.export_memories()

    def upload(self) -> None:
        self.memory.upload(f'{{"raw_text": "{self._text}"}}'.encode())

    def night(self) -> None:
        said = [{"role": "user", "content": f"I bought {next(self._numbers)} new chairs for my kitchen."}]
        self.memory.record_interactions([{"type": "discussion", "messages": said}])
        self.memory.nightly("rules")

    # What happens to a statement.

    def edit(self) -> None:
        self._text = f"Ana keeps a {WORD} in {self._city()}."
        self.memory.update_memory(memory_id=self.target, value=self._text)

    def edit_and_undo(self) -> None:
        done = self.memory.update_memory(memory_id=self.target, value=f"Ana keeps a {WORD} in {self._city()}.")
        self.memory.undo(done.operation_id)

    def delete_and_undo(self) -> None:
        self.memory.undo(self.memory.delete_memory(memory_id=self.target).operation_id)

    def delete_and_store(self) -> None:
        text = self.memory.get_memory(self.target).memory.value
        self.memory.delete_memory(memory_id=self.target)
        self.memory.store_memory(text)

    def repeat_at_night(self) -> None:
        said = [{"role": "user", "content": self.memory.get_memory(self.target).memory.value}]
        self.memory.record_interactions([{"type": "discussion", "id": f"r{next(self._numbers)}", "messages": said}])
        self.memory.nightly("rules")

    def merge(self) -> str | None:
        other = self.memory.store_memory(next(self._pets)).memory_id
        try:
            return self.memory.merge_memories([self.target, other], dry_run=False).run_id
        except CommonplaceError as error:
            if error.code is not ErrorCode.NOT_MERGEABLE:  # it has become a memory of another kind
                raise
            return None

    def merge_and_undo(self) -> None:
        run_id = self.merge()
        if run_id is not None:
            self.memory.undo_run(run_id)

    def restore(self) -> None:
        backup_id = self.memory.backup().backup_id
        self.memory.delete_memory(memory_id=self.target)
        plan = self.memory.restore(backup_id, "replace")
        self.memory.restore(run_id=plan.run_id, confirm=backup_id)

    # What happens to a passage.

    def replace(self) -> None:
        before, self._text = self._text, f"Ana keeps a {WORD} in {self._city()}."
        self._command("str_replace", path=self._path, old_str=before, new_str=self._text)

    def rewrite(self) -> None:
        self._text = f"Ana keeps a {WORD} in {self._city()}."
        body = f"{_OTHERS[1]}\n\n{self._text}\n\n{_OTHERS[0]}\n"
        self.memory.documents.write(("memories",), self._key, body)

    def replace_and_undo(self) -> None:
        before = self._text
        self.replace()
        self.memory.documents.undo(("memories",), self._key)
        self._text = before

    def take_out_and_undo(self) -> None:
        self.memory.documents.write(("memories",), self._key, f"{_OTHERS[2]}\n")
        self.memory.documents.undo(("memories",), self._key)

    def delete_file_and_undo(self) -> None:
        self._command("delete", path=self._path)
        self.memory.documents.undo(("memories",), self._key)

    def rename(self) -> None:
        old, self._path = self._path, f"/memories/a{next(self._numbers) + 1}.md"
        self._command("rename", old_path=old, new_path=self._path)

    def copy_and_delete_copy(self) -> None:
        path = f"/memories/c{next(self._numbers)}.md"
        self._command("create", path=path, file_text=f"{self._text}\n\n{_OTHERS[3]}\n")
        self._command("delete", path=path)

    @property
    def _key(self) -> str:
        return self._path.removeprefix("/memories/")

    def _command(self, command: str, **given: str) -> None:
        self._tool.call({"command": command, **given})

    def _city(self) -> str:
        number = next(self._numbers)
        return f"{_CITIES[number % len(_CITIES)]} {number}"


Step = Callable[[History], object]
_STATEMENT: list[Step] = [
    History.edit, History.edit_and_undo, History.delete_and_undo, History.delete_and_store, History.merge,
    History.merge_and_undo, History.repeat_at_night, History.search, History.night,
]  # fmt: skip
_PASSAGE: list[Step] = [
    History.replace, History.rewrite, History.replace_and_undo, History.take_out_and_undo, History.delete_file_and_undo,
    History.rename, History.copy_and_delete_copy, History.search, History.night,
]  # fmt: skip
_FILES: list[Step] = [History.back_up, History.export, History.upload]
_BEGINNINGS: list[Step] = [History.store, History.import_file, History.import_chat, History.read_at_night]


def histories(with_files: bool) -> st.SearchStrategy[list[Step]]:
    """Draw a history of up to eight steps. `with_files`: whether the store keeps backups, exports and uploads."""
    files = _FILES if with_files else []
    restoring: list[Step] = [History.restore] if with_files else []

    def drawn(beginnings: list[Step], steps: list[Step]) -> st.SearchStrategy[list[Step]]:
        rest = st.lists(st.sampled_from([*steps, *files]), max_size=8)
        return st.tuples(st.sampled_from(beginnings), rest).map(lambda both: [both[0], *both[1]])

    return drawn(_BEGINNINGS, [*_STATEMENT, *restoring]) | drawn([History.write_file], _PASSAGE)
