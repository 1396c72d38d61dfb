"""What a container of the Dockerfile may do, and that what it copies and runs is there. It was never built here."""

import fnmatch
import json
import re
import shlex

from commonplace.interfaces.cli.serving import serve
from tests.dockerfile import ROOT, stages

BUILD, SHIPPED = stages()


def copied() -> list[str]:
    """What the build takes from the repository."""
    return [source for rest in BUILD.all("COPY") for source in shlex.split(rest)[:-1]]


def test_both_stages_are_the_slim_python_of_aws() -> None:
    assert BUILD.base == SHIPPED.base == "python:3.13-slim"


def test_it_does_not_run_as_root_and_keeps_the_memory_in_a_volume() -> None:
    words = [word for word, _ in SHIPPED.instructions]
    (user,) = SHIPPED.all("USER")
    assert int(user) > 0
    assert f"--uid {user} " in SHIPPED.all("RUN")[0]
    assert words.index("USER") > max(index for index, word in enumerate(words) if word in ("RUN", "COPY"))
    (volume,) = SHIPPED.all("VOLUME")
    assert f"--home-dir {volume} commonplace" in SHIPPED.all("RUN")[0]  # so that it may write there
    assert f"COMMONPLACE_DB={volume}/memory.db" in SHIPPED.all("ENV")[0]


def test_it_serves_by_tokens_alone_and_tells_whether_it_lives() -> None:
    (command,) = (json.loads(rest) for rest in SHIPPED.all("CMD"))
    assert json.loads(SHIPPED.all("ENTRYPOINT")[0]) == ["commonplace"]
    assert command[0] == "serve"
    given = serve.make_context("serve", command[1:]).params
    assert str(given["tokens"]).startswith("/data/")
    assert (given["host"], given["port"]) == ("0.0.0.0", int(SHIPPED.all("EXPOSE")[0]))
    (check,) = SHIPPED.all("HEALTHCHECK")
    assert f"http://127.0.0.1:{given['port']}/health" in check


def test_what_is_copied_is_there_and_nothing_else_is_sent() -> None:
    assert all((ROOT / source).exists() for source in copied())
    ignored = (ROOT / ".dockerignore").read_text("utf-8").splitlines()
    assert ignored[0] == "*"
    assert {line[1:] for line in ignored if line.startswith("!")} == set(copied())
    assert not [name for name in copied() if fnmatch.fnmatch(name, "**/__pycache__")]


def test_every_install_is_of_pinned_hashes_or_of_this_source() -> None:
    installs = [run for run in BUILD.all("RUN") if " install " in run]
    assert all("--require-hashes" in run or run.endswith("--no-deps .") for run in installs)
    named = {name for run in installs for name in re.findall(r"--requirement (\S+)", run)}
    assert named <= set(copied())


def test_no_secret_is_written_into_it() -> None:
    assert not re.search(r"(?i)(token|key|password|secret)\s*=", "\n".join(SHIPPED.all("ENV") + BUILD.all("ENV")))
