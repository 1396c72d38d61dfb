"""What Maven brings is held against the committed list, and what is missing on a machine is said."""

import hashlib
from pathlib import Path

import pytest

from cloud import fetch
from cloud.fetch import CannotRun

JAVA = "#!/bin/sh\necho 'openjdk version \"{version}\" 2025-04-15' >&2\n"
MAVEN = """#!/bin/sh
echo called >> {folder}/calls
for word; do case $word in -DoutputDirectory=*) to=${{word#*=}};; esac; done
printf jar > $to/a.jar
"""


def program(folder: Path, name: str, script: str) -> None:
    (folder / name).write_text(script, "utf-8")
    (folder / name).chmod(0o755)


@pytest.fixture
def programs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder that is the whole PATH but for the shell's own, a cache, and a list with one jar."""
    folder = tmp_path / "bin"
    folder.mkdir()
    program(folder, "java", JAVA.format(version="17.0.1"))
    program(folder, "mvn", MAVEN.format(folder=folder))
    listed = tmp_path / "artefacts.sha256"
    listed.write_text(f"{hashlib.sha256(b'jar').hexdigest()}  dynamodb/a.jar\n", "utf-8")
    monkeypatch.setattr(fetch, "LIST", listed)
    monkeypatch.setenv("PATH", str(folder))
    monkeypatch.delenv("JAVA_HOME", raising=False)
    monkeypatch.setenv("COMMONPLACE_CACHE", str(tmp_path / "cache"))
    return folder


def test_what_is_there_is_not_asked_for_again(programs: Path) -> None:
    first = fetch.fetch("dynamodb")
    assert [path.name for path in first.iterdir()] == ["a.jar"]
    assert fetch.fetch("dynamodb") == first
    assert (programs / "calls").read_text() == "called\n"


def test_a_file_with_another_content_is_refused_and_not_kept(programs: Path, tmp_path: Path) -> None:
    program(programs, "mvn", MAVEN.format(folder=programs).replace("printf jar", "printf other"))
    with pytest.raises(ValueError, match=r"a\.jar"):
        fetch.fetch("dynamodb")
    assert not list((tmp_path / "cache").iterdir())


def test_a_file_that_is_not_listed_is_refused(programs: Path) -> None:
    program(programs, "mvn", MAVEN.format(folder=programs) + "printf jar > $to/b.jar\n")
    with pytest.raises(ValueError, match=r": b\.jar$"):
        fetch.fetch("dynamodb")


@pytest.mark.parametrize("name", ["java", "mvn"])
def test_a_missing_program_is_named_with_what_to_install(programs: Path, name: str) -> None:
    (programs / name).unlink()
    with pytest.raises(CannotRun, match="apt-get install openjdk-17-jre-headless maven"):
        fetch.fetch("dynamodb")


def test_an_older_java_is_not_enough(programs: Path) -> None:
    program(programs, "java", JAVA.format(version="11.0.20"))
    with pytest.raises(CannotRun, match="no Java 17 here"):
        fetch.fetch("dynamodb")


def test_what_maven_says_when_it_fails_is_handed_on(programs: Path) -> None:
    program(programs, "mvn", "#!/bin/sh\necho '[ERROR] Could not transfer artifact'\nexit 1\n")
    with pytest.raises(CannotRun, match="Could not transfer artifact"):
        fetch.fetch("dynamodb")


def test_the_committed_list_names_both_servers() -> None:
    lines = (Path(fetch.__file__).parent / "artefacts.sha256").read_text("utf-8").splitlines()
    names = {line.split("  ")[1] for line in lines}
    assert {
        "dynamodb/DynamoDBLocal-2.6.0.jar",
        "opensearch/opensearch-2.19.1.jar",
        "opensearch/opensearch-knn-2.19.1.0.zip",
    } <= names
    assert all(len(line.split("  ")[0]) == 64 for line in lines)
