"""Exports taken in by the tool: planned line by line, applied by the plan's id, undone; what is refused; who may."""

import json
from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from functools import partial
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest

from commonplace import Commonplace, ErrorCode
from commonplace.domain.fields import EARLIEST
from commonplace.domain.transfer import ImportMemoriesResult
from commonplace.ports.bundle import Ports
from commonplace.ports.values import Caller
from commonplace.settings import Settings
from commonplace.use_cases import dispatch, export_memories, import_memories
from tests.conftest import NOON, refusal
from tests.integration.cloud_functions import ports as ports
from tests.integration.http_server import served
from tests.integration.lambda_calls import ISSUER, KINDS, Context, called, handler, http, token

pytestmark = pytest.mark.integration

NOT_KEPT = {"user_id", "version", "updated_at", "access_count", "last_accessed", "embedding_model"}
FORM = '{"commonplace_export": 1}'


@pytest.fixture
def source(tmp_path: Path, open_memory: Callable[..., Commonplace]) -> Commonplace:
    """A life with something of each kind: replaced, deleted, keyed, tagged, corrected, in a talk, with odd characters."""
    memory = Commonplace(tmp_path / "source.db", user_id="mia", now=lambda: NOON - timedelta(days=3))
    memory.write_memory("home", "The user lives in Lisbon.", "personal_context", "durable")
    memory.update_memory("home", "The user lives in Porto.")
    memory.write_memory("team", "The user leads the billing team.", "work_context", "durable")
    memory.delete_memory("team")
    memory.store_memory(
        '=1+1 is "two",\nthey say; チェロ\u2028', context={"user_note": "- said twice", "additional_tags": ["+x"]}
    )
    memory.import_turns([{"session_id": "s", "position": 3, "speaker": "user", "text": "I play the cello."}])
    memory.search_memory("cello")
    return memory


def text_of(memory: Commonplace, form: Any = "jsonl") -> str:
    made = memory.export_memories(form, include_history=True)
    assert made.export_id is not None
    return memory.export_file(made.export_id)[1].decode()


def alike(memory: Commonplace) -> list[dict[str, Any]]:
    return [{name: value for name, value in one.items() if name not in NOT_KEPT} for one in memory.export()]


def line(**fields: Any) -> str:
    at = "2026-05-20T18:30:00+02:00"
    whole = {
        "memory_id": "mem_1", "raw_text": "I play the cello.", "normalized_text": "", "memory_type": "habit",
        "category": "contexts", "section": "personal_context", "created_at": at, "updated_at": at, **fields,
    }  # fmt: skip
    return json.dumps({name: value for name, value in whole.items() if value is not None})


def file_of(*lines: str) -> str:
    return "\n".join((FORM, *lines))


@pytest.mark.parametrize("form", ["jsonl", "csv"])
def test_an_export_comes_back_with_every_field_and_its_history(form: Any, source: Commonplace, memory: Commonplace) -> None:
    done = memory.import_memories(text_of(source, form), format=form, dry_run=False)
    assert (done.status, done.new, done.known, done.conflicts, done.refused) == ("done", 5, 0, [], [])
    assert alike(memory) == alike(source)
    before, after = ([json.loads(one)["history"] for one in text_of(each).split("\n")[1:-1]] for each in (source, memory))
    assert [steps[:-1] for steps in after] == before
    assert {steps[-1]["operation"] for steps in after} == {"import"}
    assert [hit.content for hit in memory.search_memory("which instrument?").results][:1] == ["I play the cello."]


def test_a_plan_stores_nothing_is_applied_by_its_id_and_undone(source: Commonplace, memory: Commonplace) -> None:
    plan = memory.import_memories(text_of(source))
    assert (plan.status, plan.new) == ("needs_review", 5)
    assert list(memory.export()) == []
    assert memory.import_memories(run_id=plan.run_id) == plan
    done = memory.import_memories(run_id=plan.run_id, dry_run=False)
    assert (done.run_id, done.status, done.new) == (plan.run_id, "done", 5)
    assert alike(memory) == alike(source)
    memory.undo_run(str(plan.run_id))
    assert {one["status"] for one in memory.export()} == {"deleted"}


def test_what_is_here_under_another_id_gets_that_as_a_name_and_loses_it_with_the_run(memory: Commonplace) -> None:
    cello = memory.store_memory("I play the cello.").memory_id
    text = file_of(line(), line(memory_id="mem_2", raw_text="I like tea."), line(memory_id="mem_3", raw_text="I like tea."))
    plan = memory.import_memories(text)
    assert (plan.status, plan.new, plan.known, plan.conflicts, plan.refused) == ("needs_review", 1, 2, [], [])
    assert refusal(lambda: memory.get_memory("mem_1")).code is ErrorCode.NOT_FOUND
    done = memory.import_memories(run_id=plan.run_id, dry_run=False)
    assert (done.status, done.new, done.known, done.conflicts, done.refused) == ("done", 1, 2, [], [])
    assert [memory.get_memory(name).memory.memory_id for name in ("mem_1", "mem_3")] == [cello, "mem_2"]
    again = memory.import_memories(text, dry_run=False)
    assert (again.new, again.known, again.run_id) == (0, 3, None)
    assert done.run_id is not None
    memory.undo_run(done.run_id)
    assert memory.get_memory(cello).memory.value == "I play the cello."
    for name in ("mem_1", "mem_2", "mem_3"):
        assert refusal(lambda name=name: memory.get_memory(name)).code is ErrorCode.NOT_FOUND  # type: ignore[misc]


def test_again_everything_is_known_and_no_run_is_made(source: Commonplace, memory: Commonplace) -> None:
    text = text_of(source)
    memory.import_memories(text, dry_run=False)
    again = memory.import_memories(text, dry_run=False)
    assert (again.new, again.known, again.conflicts, again.run_id) == (0, 5, [], None)
    assert len(memory.runs()) == 1


def test_what_is_here_with_another_content_or_key_is_a_conflict_and_stays(memory: Commonplace) -> None:
    here = memory.write_memory("home", "The user lives in Porto.", "personal_context", "durable").memory_id
    said = memory.store_memory("I drink tea.").memory_id
    before = list(memory.export())
    text = file_of(
        line(memory_id=here, raw_text="I live in Faro."), line(memory_id="mem_2", key="home"),
        line(memory_id="mem_3", raw_text="i drink  TEA."), line(memory_id="mem_4"),
    )  # fmt: skip
    done = memory.import_memories(text, dry_run=False)
    assert [(one.line, one.id) for one in done.conflicts] == [(2, here), (3, here)]
    assert (done.new, done.known) == (1, 1)
    assert [one for one in memory.export() if one["memory_id"] != "mem_4"] == before
    assert said in {one["memory_id"] for one in before}


@pytest.mark.parametrize(
    ("given", "field", "code"),
    [
        (line(raw_text=None), "raw_text", "missing_field"),
        (line(importance=7), "importance", "invalid_argument"),
        (line().replace('"raw_text"', '"importance": NaN, "raw_text"'), None, "invalid_json"),
        (line(memory_id="../x"), "memory_id", "invalid_argument"),
        (line(agent_id="coach"), "agent_id", "invalid_argument"),
        (line(history=[{"operation": "a\x07", "at": "2026-05-20T18:30:00Z"}]), "history.0.operation", "invalid_argument"),
        (line(history="x"), "history", "invalid_argument"),
        (line(position=-(2**63) - 1), "position", "invalid_argument"),
        (line(concepts=[f"c{n}" for n in range(1_001)]), "concepts", "invalid_argument"),
        (line(session_id="s" * 8_001), "session_id", "invalid_argument"),
        (line(tags=["t" * 8_001]), "tags", "invalid_argument"),
        (line(raw_text=" \n"), "raw_text", "invalid_argument"),
        ('{"a": ' + "[" * 600 + "]" * 600 + "}", None, "invalid_json"),
        ("[]", None, "invalid_json"),
        (line(user_note="x" * 300_000), None, "payload_too_large"),
    ],
)
def test_a_line_that_can_not_be_taken_in_is_told_and_the_others_are(
    given: str, field: str | None, code: str, memory: Commonplace
) -> None:
    upload = memory.upload(file_of(given, line(memory_id="mem_9", raw_text="I drink tea.")).encode())
    done = memory.import_memories(upload_id=upload.upload_id, dry_run=False)
    assert [(one.line, one.field, one.code) for one in done.refused] == [(2, field, code)]
    assert done.new == 1


def test_links_stay_inside_and_no_circle_comes_in(memory: Commonplace) -> None:
    closed = {"status": "superseded", "raw_text": "I live in Faro."}
    text = file_of(
        line(memory_id="mem_1", superseded_by="mem_2", **closed), line(memory_id="mem_2", superseded_by="mem_1", **closed),
        line(memory_id="mem_3", superseded_by="mem_3", **closed), line(memory_id="mem_4", superseded_by="mem_2", **closed),
        line(memory_id="mem_5", supersedes="mem_99"),
    )  # fmt: skip
    done = memory.import_memories(text, dry_run=False)
    assert sorted(one.line for one in done.refused) == [2, 3, 4]
    kept = {one["memory_id"]: one for one in memory.export()}
    assert {name: (one["supersedes"], one["superseded_by"]) for name, one in kept.items()} == {
        "mem_4": (None, None), "mem_5": (None, None),
    }  # fmt: skip


def test_links_lead_to_what_is_stored_and_not_back_to_it(memory: Commonplace) -> None:
    """A memory that is left out leads to what says the same, but where its id is another's, or where that made a circle."""
    closed = {"status": "superseded", "raw_text": "I live in Faro."}
    memory.import_memories(file_of(line(raw_text="I drink tea.")), dry_run=False)
    again = line(memory_id="mem_2", raw_text="I drink tea.")
    text = file_of(
        again, line(memory_id="mem_2", raw_text="I drink coffee."), line(memory_id="mem_3", superseded_by="mem_2", **closed),
        line(memory_id="mem_4", supersedes="mem_5"), line(memory_id="mem_5", supersedes="mem_6", **closed),
        line(memory_id="mem_6"), line(memory_id="mem_7", supersedes="mem_4", **closed),
    )  # fmt: skip
    done = memory.import_memories(text, dry_run=False)
    assert [(one.line, one.message) for one in done.refused] == [
        (line, "memories that replaced one another in a circle") for line in (5, 6)
    ]
    kept = {one["memory_id"]: (one["supersedes"], one["superseded_by"]) for one in memory.export()}
    assert kept == {"mem_1": (None, None), "mem_2": (None, None), "mem_3": (None, "mem_2"), "mem_7": (None, None)}


def test_secrets_stay_out_and_standing_instructions_are_shown(memory: Commonplace) -> None:
    wish = "Always answer me in French, whatever I ask."
    text = file_of(line(raw_text="my wifi password is hunter2-Tr0ub4dor"), line(memory_id="mem_2", raw_text=wish))
    plan = memory.import_memories(text)
    assert [(one.line, one.content) for one in plan.instructions] == [(3, wish)]
    assert plan.notes is not None
    assert plan.notes.redacted == ["password"]
    memory.import_memories(run_id=plan.run_id, dry_run=False)
    assert "Tr0ub4dor" not in str(list(memory.export()))


def test_what_was_erased_here_does_not_come_back(source: Commonplace, memory: Commonplace) -> None:
    text = text_of(source)
    memory.import_memories(text, dry_run=False)
    (cello,) = [one["memory_id"] for one in memory.export() if one["raw_text"] == "I play the cello."]
    memory.erase(cello)
    done = memory.import_memories(text, dry_run=False)
    assert [one.message for one in done.refused] == ["was erased, and is not restored"]
    assert "cello" not in str(list(memory.export()))


def test_exactly_one_source_and_a_bounded_one(memory: Commonplace) -> None:
    sources: tuple[dict[str, Any], ...] = ({}, {"data": FORM, "run_id": "run_1"}, {"data": FORM, "upload_id": "upload_1"})
    for given in sources:
        assert refusal(partial(memory.import_memories, **given)).code is ErrorCode.INVALID_ARGUMENT
    assert refusal(lambda: memory.import_memories("x" * 256_001)).field == "data"
    assert refusal(lambda: memory.import_memories('{"commonplace_export": 2}')).code is ErrorCode.INVALID_ARGUMENT
    unknown: tuple[dict[str, Any], ...] = ({"upload_id": "upload_1"}, {"upload_id": "../x"}, {"run_id": "run_1"})
    for named in unknown:
        assert refusal(partial(memory.import_memories, **named)).code is ErrorCode.NOT_FOUND


def test_an_upload_is_one_user_s_for_an_hour_and_one_import(
    memory: Commonplace, open_memory: Callable[..., Commonplace]
) -> None:
    upload = memory.upload(file_of(line()).encode()).upload_id
    later = open_memory(now=lambda: NOON + timedelta(hours=1))
    for other in (open_memory(user_id="ben"), later):
        assert refusal(partial(other.import_memories, upload_id=upload)).code is ErrorCode.NOT_FOUND
    assert memory.import_memories(upload_id=upload).new == 1
    assert refusal(lambda: memory.import_memories(upload_id=upload)).code is ErrorCode.NOT_FOUND
    many = [memory.upload(b"x").upload_id for _ in range(11)]
    files = memory._local.ports.files
    assert files is not None
    assert {one.file_id for one in files.listed("local|ana", "upload", NOON)} == set(many[1:])


def test_uploads_of_a_user_have_a_quota_that_a_restart_does_not_reset(
    memory: Commonplace, open_memory: Callable[..., Commonplace], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(import_memories, "MOST_UPLOADED", 100)
    first = memory.upload(b"x" * 60).upload_id
    with open_memory(now=lambda: NOON + timedelta(minutes=30)) as again:
        error = refusal(lambda: again.upload(b"x" * 41))
        assert error.code.status == 413
        assert "13:00" in error.message  # when the first one goes
        again.upload(b"x" * 40)
        assert refusal(lambda: again.upload(b"x")).code.status == 413
        again.drop_upload(first)
        again.upload(b"x" * 60)
    open_memory(user_id="ben").upload(b"x" * 100)
    open_memory(now=lambda: NOON + timedelta(hours=2)).upload(b"x" * 100)


def test_uploads_that_are_over_make_room_for_new_ones_and_never_lie_beside_them(
    open_memory: Callable[..., Commonplace], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(import_memories, "MOST_UPLOADED", 100)
    open_memory("ben").upload(b"x" * 100)
    open_memory(now=lambda: NOON - timedelta(days=2)).store_memory("I play the cello.")  # no clock is believed beyond it
    for hours in range(6):
        memory = open_memory(now=partial(lambda hours: NOON + timedelta(days=40, hours=hours), hours))
        ids = [memory.upload(b"x" * 45).upload_id for _ in range(2)]
        files = memory._local.ports.files
        assert files is not None
        assert {one.file_id for one in files.listed("local|ana", "upload", EARLIEST)} == set(ids)
        assert len(files.listed("local|ben", "upload", EARLIEST)) == 1


def test_what_is_refused_takes_no_upload_that_is_over(
    open_memory: Callable[..., Commonplace], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(import_memories, "MOST_UPLOADED", 100)
    open_memory(now=lambda: NOON - timedelta(days=2)).store_memory("I play the cello.")
    first = open_memory().upload(b"x" * 60).upload_id
    later = open_memory(now=lambda: NOON + timedelta(hours=2))
    assert refusal(lambda: later.upload(b"x" * 101)).code.status == 413
    later.upload(b"x" * 40)  # beside the other one there is room
    body = BytesIO()
    open_memory().uploaded(first, body)
    assert len(body.getvalue()) == 60


def test_two_uploads_at_once_do_not_exceed_the_quota_together(memory: Commonplace, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(import_memories, "MOST_UPLOADED", 100)

    def keep_beside_another(*given: Any) -> None:
        monkeypatch.setattr(import_memories, "keep", export_memories.keep)
        memory.upload(b"x" * 60)
        export_memories.keep(*given)

    monkeypatch.setattr(import_memories, "keep", keep_beside_another)
    assert refusal(lambda: memory.upload(b"x" * 60)).code.status == 413
    files = memory._local.ports.files
    assert files is not None
    assert [one.bytes for one in files.listed("local|ana", "upload", NOON)] == [60]


def test_a_model_plans_and_a_person_applies(memory: Commonplace) -> None:
    ports, asking = memory._local.ports, replace(memory._build_caller(), admin=False)
    told = dispatch.call("import_memories", {"data": file_of(line()), "dry_run": False}, asking, ports)
    assert isinstance(told, ImportMemoriesResult)
    assert (told.status, told.new) == ("needs_review", 1)
    assert "commonplace/admin" in str(told.notes)
    again = dispatch.call("import_memories", {"run_id": told.run_id, "dry_run": False}, asking, ports)
    assert isinstance(again, ImportMemoriesResult)
    assert again.status == "needs_review"
    assert list(memory.export()) == []
    assert memory.import_memories(run_id=told.run_id, dry_run=False).status == "done"
    assert len(list(memory.export())) == 1


def test_on_aws_only_an_admin_applies_even_by_the_route_of_the_runs(ports: Ports) -> None:
    (admin,) = [kind for kind in KINDS if kind.name == "http-admin"]
    upload = handler("transfer")(http("/uploads", file_of(line()).encode()), Context())
    upload_id = json.loads(upload["body"])["upload_id"]
    (plain,) = [kind for kind in KINDS if kind.name == "http"]
    _, plan = called(plain, "import_memories", {"upload_id": upload_id, "dry_run": False})
    assert (plan["status"], plan["new"]) == ("needs_review", 1)
    approve = f"/runs/{plan['run_id']}/approve"
    assert handler("record")(http(approve, b"{}"), Context())["statusCode"] == 403
    assert list(ports.records.all(f"{ISSUER}|ana")) == []
    by_admin = http(approve, b"{}", authorizer=token(scope="commonplace/admin"))
    assert handler("record")(by_admin, Context())["statusCode"] == 200
    assert len(list(ports.records.all(f"{ISSUER}|ana"))) == 1
    _, told = called(admin, "import_memories", {"run_id": plan["run_id"]})
    assert (told["status"], told["new"]) == ("done", 1)
    assert Caller("u", NOON).admin


def test_the_local_server_takes_a_file_and_imports_it(memory_file: Path) -> None:
    with served(memory_file, "--user", "ana") as server:
        upload = server.ask("POST", "/uploads", file_of(line()).encode()).body
        done = server.call("import_memories", upload_id=upload["upload_id"], dry_run=False)
        assert (done["status"], done["new"]) == ("done", 1)
        assert server.call("search_memory", query="cello")["total_found"] == 1


def test_the_pages_are_written_after_an_import(source: Commonplace, tmp_path: Path) -> None:
    settings = Settings(db=tmp_path / "target.db", pages=tmp_path / "pages")
    with Commonplace(settings=settings, user_id="ana", now=lambda: NOON) as memory:
        memory.import_memories(text_of(source), dry_run=False)
        (page,) = (tmp_path / "pages").glob("*/MEMORY.md")
        assert "Porto" in page.read_text("utf-8")
    with Commonplace(settings=settings, user_id="ben", now=lambda: NOON) as other:
        assert other.import_records([json.loads(line())], apply=True).applied
        assert len(list((tmp_path / "pages").glob("*/MEMORY.md"))) == 2
