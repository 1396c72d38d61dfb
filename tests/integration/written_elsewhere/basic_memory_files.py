"""Writes the folder `basic-memory`: notes that basic-memory's own command wrote and changed."""

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from tests.integration.written_elsewhere.script import MADE

_COMMAND = str(Path(sys.executable).with_name("basic-memory"))
_COFFEE = """# Coffee Brewing Methods

How I make coffee at home,
on weekdays.

## Observations
- [method] Pour over gives more clarity than a French press #clarity
- [technique] Water at 205°F extracts best #water #extraction
- [preference] Ethiopian beans go well with light roasts (own experience)
- [ ] buy a new grinder

```
- [code] grind(18)
```

## Relations
- relates_to [[Coffee Bean Origins]]
- requires [[Proper Grinding Technique]] (for pour over)
- grown by [[Mia]]
"""
_MIA = """---
title: Mia
type: person
aliases: [Mimi, "M."]
birthday: 2018-09-03
address:
  city: Porto
  floor: 3
---

- [fact] Mia starts school in September
- **[wish]** Mia wants a dog: a small one
- She asked [[Rui]] about [horses](https://example.org/horses)
"""


def main() -> None:
    """Two notes, of which one is changed afterwards, and a third in plain words."""
    with tempfile.TemporaryDirectory() as home:
        _run(home, "project", "add", "ours", str(Path(home, "notes")), "--default")
        _write(home, "Coffee Brewing Methods", "drinks", _COFFEE, "--tags", "coffee", "--tags", "home brewing")
        _write(home, "Mia", "people/family", _MIA)
        change = ("--operation", "append", "--content", "\n- [fact] Mia plays the cello\n")
        _run(home, "tool", "edit-note", "people/family/mia", *change)
        _write(home, "Orchids: a note", "", "Water the orchids on Fridays, before noon.\n")
        shutil.rmtree(MADE / "basic-memory", ignore_errors=True)
        shutil.copytree(Path(home, "notes"), MADE / "basic-memory", ignore=shutil.ignore_patterns(".*"))


def _write(home: str, title: str, folder: str, text: str, *more: str) -> None:
    _run(home, "tool", "write-note", "--title", title, "--folder", folder, *more, text=text)


def _run(home: str, *arguments: str, text: str = "") -> None:
    around = {"HOME": home, "BASIC_MEMORY_SEMANTIC_SEARCH_ENABLED": "false", "BASIC_MEMORY_AUTO_UPDATE": "false"}
    subprocess.run([_COMMAND, *arguments], input=text, text=True, env=os.environ | around, check=True, stdout=sys.stderr)


if __name__ == "__main__":
    main()
