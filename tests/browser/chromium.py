"""The system's own Chromium, driven by Playwright, which downloads none; and what a page may never do in it."""

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlsplit

from playwright.sync_api import Browser, BrowserContext, Page, Route, sync_playwright

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
MISSING = "there is none on PATH; install it with the packages of your system (Debian: apt-get install chromium)"
_ARGUMENTS = (
    "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
    "--disable-component-update", "--disable-sync",
)  # fmt: skip


def path() -> str | None:
    """Where Chromium is, or None."""
    return next((found for name in NAMES if (found := shutil.which(name))), None)


@contextmanager
def started() -> Iterator[Browser]:
    """A Chromium without a window, with a profile of its own that goes with it."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path(), args=list(_ARGUMENTS))
        yield browser
        browser.close()


@dataclass
class Watch:
    """What went wrong in the pages of a context, a line each: scripts that ran or failed, what the policy refused, and
    whatever was asked of any other machine."""

    seen: list[str] = field(default_factory=list)

    @classmethod
    def over(cls, context: BrowserContext) -> "Watch":
        """Watches all pages of a context, those to come as well."""
        watch = cls()
        context.route("**/*", watch._let_through)
        context.on("page", watch._look_at)
        return watch

    def _let_through(self, route: Route) -> None:
        if urlsplit(route.request.url).hostname == "127.0.0.1":
            return route.continue_()
        self.seen.append(f"asked for {route.request.url}")
        return route.abort()

    def _look_at(self, page: Page) -> None:
        page.on("dialog", self._refuse)
        page.on("pageerror", lambda error: self.seen.append(f"failed: {error}"))
        page.on("console", lambda told: self.seen.append(f"{told.type}: {told.text}") if told.type == "error" else None)

    def _refuse(self, dialog: Any) -> None:
        self.seen.append(f"dialog: {dialog.message}")
        dialog.dismiss()
