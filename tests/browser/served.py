"""`commonplace ui` in a process of its own, over a memory file."""

import re
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import urlsplit

from playwright.sync_api import Page

from tests.integration.command_line import COMMAND, clean

_ADDRESS = re.compile(r"http://127\.0\.0\.1:\d+/\S*")


@dataclass(frozen=True)
class Served:
    """A page that is served. `address`: what opens it, once; `root`: of the server, without a path."""

    process: "subprocess.Popen[str]"
    address: str
    let_in: dict[str, str] = field(default_factory=dict)
    """The cookie of the browser that was let in."""

    @property
    def root(self) -> str:
        parts = urlsplit(self.address)
        return f"{parts.scheme}://{parts.netloc}"

    def opened(self, page: Page) -> Page:
        """The first view, in the one browser that is let in: what comes later has its cookie."""
        for name, value in self.let_in.items():
            page.context.add_cookies([{"name": name, "value": value, "domain": "127.0.0.1", "path": "/ui"}])
        page.goto(f"{self.root}/ui" if self.let_in else self.address)
        self.let_in.update((str(one.get("name")), str(one.get("value"))) for one in page.context.cookies())
        return page


@contextmanager
def served(memory_file: Path, user: str = "ana", *options: str) -> Iterator[Served]:
    """The page over a file, on a free port; it opens no browser, and is killed at the end."""
    command = (COMMAND, "ui", "--no-browser", "--port", "0", "--db", str(memory_file), "--user", user, *options)
    process = subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, encoding="utf-8",
        env=clean(memory_file.parent),
    )  # fmt: skip
    try:
        yield Served(process, _address(process))
    finally:
        process.kill()
        process.communicate()


def _address(process: "subprocess.Popen[str]") -> str:
    assert process.stdout is not None
    told = ""
    for line in process.stdout:
        told += line
        if found := _ADDRESS.search(line):
            return found[0]
    raise AssertionError(told)
