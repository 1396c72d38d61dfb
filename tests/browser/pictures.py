"""Makes the pictures of docs/page.md anew, of the page over invented memories: `python -m tests.browser.pictures`."""

import json
import tempfile
from collections.abc import Callable
from datetime import datetime, timedelta
from itertools import groupby
from pathlib import Path
from typing import Literal

from playwright.sync_api import Page

from commonplace import Commonplace
from commonplace.settings import Settings
from tests.browser import chromium
from tests.browser.served import served

ROOT = Path(__file__).parents[2]
FOLDER = ROOT / "docs" / "pictures"
USER = "marta"
Scheme = Literal["light", "dark"]
SAID = (
    "Kyoto and Osaka are half an hour apart by train.", "Pilar and I went from Osaka to Kyoto and Nara.",
    "The ryokan in Kyoto was quieter than the hotel in Osaka.", "I would go to Nara and Kyoto again in autumn.",
    "Kyoto, Nara and Osaka were all full of maples.", "I play Bach on the cello every evening.",
    "The cello suites of Bach are what I practise.", "Late Bach is hard on the cello and easy on the ear.",
    "Joana plays the viola in the quartet.", "Joana and I rehearse Bach with the quartet on Thursdays.",
    "The quartet plays Bach and Schubert in May.", "Joana wants Schubert with the quartet, too.",
)  # fmt: skip


def main() -> None:
    """Writes them all."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "memory.db"
        _fill(path)
        with served(path, USER) as server, chromium.started() as browser:
            for name, (scheme, width, height, take) in PICTURES.items():
                context = browser.new_context(
                    viewport={"width": width, "height": height}, color_scheme=scheme, reduced_motion="reduce"
                )  # fmt: skip
                page = server.opened(context.new_page())
                take(page)
                page.wait_for_load_state("networkidle")
                page.screenshot(path=FOLDER / f"{name}.png")
                context.close()


def _fill(path: Path) -> None:
    """What the demonstration's user told in spring, what she said since, and the night of a day."""
    turns = [json.loads(line) for line in (ROOT / "demo" / "conversation.jsonl").read_text("utf-8").splitlines()]
    day = [json.loads(line) for line in (ROOT / "demo" / "day.jsonl").read_text("utf-8").splitlines()]
    moments: list[datetime] = []
    settings = Settings.model_validate({"timezone": "Europe/Berlin"})
    with Commonplace(path, user_id=USER, now=lambda: moments[-1], settings=settings) as memory:
        for _, said in groupby(turns, key=lambda turn: turn["session_id"]):
            session = list(said)
            moments.append(datetime.fromisoformat(session[-1]["event_time"]) + timedelta(hours=1))
            memory.import_turns(session, keep="worthy")
        for text in SAID:
            moments.append(moments[-1] + timedelta(days=17))
            memory.store_memory(text)
        moments.append(datetime.fromisoformat(day[-1]["time"]) + timedelta(hours=4))
        memory.record_interactions(day)
        memory.nightly("rules")


def _search(page: Page) -> None:
    page.get_by_role("searchbox").fill("what music do we play together?")
    page.locator("#found", has_text="% match").wait_for()


def _one(page: Page) -> None:
    page.get_by_role("searchbox").fill("rehearsing with the quartet on Thursdays")
    page.locator("#found", has_text="% match").wait_for()
    page.locator("a.open").first.click()
    page.get_by_role("heading", name="Similar memories").wait_for()


def _night(page: Page) -> None:
    page.get_by_role("link", name="Nights").click()
    page.get_by_role("link", name="Night", exact=True).first.click()


def _network(page: Page) -> None:
    page.get_by_role("link", name="Network").click()


def _growth(page: Page) -> None:
    page.get_by_role("link", name="Growth").click()


PICTURES: dict[str, tuple[Scheme, int, int, Callable[[Page], None]]] = {
    "search": ("light", 1100, 640, _search),
    "memory": ("dark", 1100, 640, _one),
    "night": ("light", 1100, 780, _night),
    "network": ("light", 1100, 800, _network),
    "growth": ("dark", 1100, 560, _growth),
    "phone": ("light", 360, 700, _search),
}
"""Of each: light or dark, how large, and how to get there."""

if __name__ == "__main__":
    main()
