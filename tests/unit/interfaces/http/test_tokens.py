import json
import os
import stat
import threading
from pathlib import Path

import pytest

from commonplace.domain.errors import CommonplaceError, ErrorCode
from commonplace.interfaces.http.tokens import TokenFile


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "tokens.json"


def test_a_token_opens_its_users_memories_and_stands_in_no_file(file: Path) -> None:
    tokens = TokenFile(file)
    made = {name: tokens.add(name, user) for name, user in (("laptop", "ana"), ("phone", "ana"), ("desk", "ben"))}
    for name, token in made.items():
        holder = TokenFile(file).holder_of(token)
        assert holder is not None
        assert (holder.name, holder.user) == (name, "ben" if name == "desk" else "ana")
    assert len({*made.values()}) == 3
    assert all(len(token) > 43 for token in made.values())  # 256 bits
    assert not [token for token in made.values() if token[4:] in file.read_text()]


@pytest.mark.parametrize("given", ["", "cpl_", "laptop", "ana", "cpl_" + "a" * 43, "\ud800", "é" * 5000])
def test_what_is_no_token_opens_nothing(file: Path, given: str) -> None:
    tokens = TokenFile(file)
    made = tokens.add("laptop", "ana")
    for wrong in (given, made + given + "x", made[:-1], made.upper(), tokens.holders()[0].sha256):
        assert tokens.holder_of(wrong) is None


def test_a_changed_file_counts_at_once(file: Path) -> None:
    tokens = TokenFile(file)
    first = tokens.add("laptop", "ana")
    assert tokens.holder_of(first) is not None
    second = TokenFile(file).add("phone", "ana")
    assert tokens.holder_of(second) is not None
    assert TokenFile(file).remove("laptop").user == "ana"
    assert tokens.holder_of(first) is None
    assert [one.name for one in tokens.holders()] == ["phone"]


@pytest.mark.skipif(os.name != "posix", reason="rights are of POSIX")
def test_it_is_its_owners_alone(file: Path) -> None:
    tokens = TokenFile(file)
    token = tokens.add("laptop", "ana")
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    for mode in (0o640, 0o604, 0o660):
        file.chmod(mode)
        with pytest.raises(CommonplaceError, match="chmod 600"):
            TokenFile(file).holder_of(token)


@pytest.mark.skipif(os.name != "posix", reason="rights are of POSIX")
@pytest.mark.parametrize("verb", ["add", "remove"])
def test_its_folders_are_made_for_their_owner_alone(tmp_path: Path, verb: str) -> None:
    folder = tmp_path / "made" / "commonplace"
    if verb == "add":
        TokenFile(folder / "tokens.json").add("laptop", "ana")
    else:
        with pytest.raises(CommonplaceError, match="is not there"):
            TokenFile(folder / "tokens.json").remove("laptop")
    assert [stat.S_IMODE(one.stat().st_mode) for one in (folder, folder.parent)] == [0o700, 0o700]


@pytest.mark.skipif(os.name != "posix", reason="rights are of POSIX")
def test_a_folder_that_is_there_keeps_its_rights(file: Path) -> None:
    file.parent.chmod(0o755)
    TokenFile(file).add("laptop", "ana")
    assert stat.S_IMODE(file.parent.stat().st_mode) == 0o755


@pytest.mark.skipif(os.name != "posix", reason="rights are of POSIX")
def test_rights_that_are_opened_later_are_noticed(file: Path) -> None:
    tokens = TokenFile(file)
    token = tokens.add("laptop", "ana")
    assert tokens.holder_of(token) is not None
    file.chmod(0o644)
    with pytest.raises(CommonplaceError, match="chmod 600"):
        tokens.holder_of(token)


@pytest.mark.parametrize(
    "text",
    ["", "tokens", "[]", "{}", '{"tokens": {}}', '{"tokens": ["a"]}', '{"tokens": [{"name": "a"}]}',
     '{"tokens": [{"name": "a", "user": 1, "sha256": "b", "made": "c"}]}',
     *(f'{{"tokens": [{{"name": "a", "user": "a", "sha256": "{damaged}", "made": "c"}}]}}'
       for damaged in ("é" * 64, "a" * 63, "A" * 64, "a" * 64 + "\\n"))],
)  # fmt: skip
def test_what_is_no_such_file_lets_nobody_in(file: Path, text: str) -> None:
    file.touch(mode=0o600)
    file.write_text(text)
    with pytest.raises(CommonplaceError) as refused:
        TokenFile(file).holder_of("x")
    assert refused.value.code is ErrorCode.INVALID_ARGUMENT
    with pytest.raises(CommonplaceError):
        TokenFile(file).add("laptop", "ana")
    assert file.read_text() == text


def test_no_file_is_told_with_what_makes_it(file: Path) -> None:
    with pytest.raises(CommonplaceError, match="commonplace token add"):
        TokenFile(file).holders()


@pytest.mark.parametrize("name", ["", " ", "a b", "-x", "a\n", "ä", "a" * 65, "a/b"])
def test_a_name_is_short_and_plain(file: Path, name: str) -> None:
    with pytest.raises(CommonplaceError) as refused:
        TokenFile(file).add(name, "ana")
    assert refused.value.field == "name"
    assert not file.exists()


@pytest.mark.parametrize("user", ["", " ", "\ud800", "u" * 257])
def test_a_user_is_a_name(file: Path, user: str) -> None:
    with pytest.raises(CommonplaceError) as refused:
        TokenFile(file).add("laptop", user)
    assert refused.value.field == "user"


def test_a_name_is_given_once_and_no_such_name_is_told(file: Path) -> None:
    tokens = TokenFile(file)
    first = tokens.add("laptop", "ana")
    with pytest.raises(CommonplaceError) as refused:
        tokens.add("laptop", "ben")
    assert refused.value.code is ErrorCode.CONFLICT
    assert tokens.holder_of(first) is not None
    with pytest.raises(CommonplaceError) as unknown:
        tokens.remove("phone")
    assert unknown.value.code is ErrorCode.NOT_FOUND


def test_what_cannot_be_written_leaves_the_file_as_it_was_and_nothing_beside_it(
    file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(_: int) -> None:
        raise OSError(28, "no space left on device")

    token = TokenFile(file).add("laptop", "ana")
    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(CommonplaceError, match="no space"):
        TokenFile(file).add("phone", "ana")
    assert TokenFile(file).holder_of(token) is not None
    assert {one.name for one in file.parent.iterdir()} <= {"tokens.json", "tokens.json.lock"}


def test_who_add_at_once_lose_none(file: Path) -> None:
    each = [threading.Thread(target=TokenFile(file).add, args=(f"t{number}", "ana")) for number in range(12)]
    for one in each:
        one.start()
    for one in each:
        one.join()
    assert len(json.loads(file.read_text())["tokens"]) == 12
