"""Which language a text is in, as far as its function words tell."""

import functools
import re
from collections import Counter
from collections.abc import Mapping

from commonplace.duplicates.tables import marks

_WORD = re.compile(r"[^\W\d_]+(?:'(?=\w))?")
_UNSPACED = re.compile(r"[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3041-\u30ff\u3400-\u9fff\uf900-\ufaff]")
_LEAST_SHARE = 0.15
UNSPACED, UNKNOWN = "unspaced", "unknown"


def language_of(*texts: str) -> str:
    """The one language whose function words some texts have most of.

    `english` for ASCII that has none of any; `unspaced` for Chinese, Japanese, Thai and their like; else `unknown`.
    """
    if any(_UNSPACED.search(text) for text in texts):
        return UNSPACED
    counts = sum((_counted(text) for text in texts), Counter())
    if not counts:
        return "english" if all(text.isascii() for text in texts) else UNKNOWN
    most = max(counts.values())
    if all(text.isascii() for text in texts) and most < _LEAST_SHARE * sum(len(text.split()) for text in texts):
        return "english"  # "Mitt", "de Lucia": a name that is a function word elsewhere
    leaders = [name for name, count in counts.items() if count == most]
    return leaders[0] if len(leaders) == 1 else "english" if "english" in leaders else UNKNOWN


@functools.lru_cache(maxsize=512)
def _counted(text: str) -> Counter[str]:
    return Counter(name for word in _WORD.findall(text.lower()) for name in _speakers().get(word, ()))


@functools.cache
def _speakers() -> Mapping[str, tuple[str, ...]]:
    """A function word to the languages that have it."""
    found: dict[str, tuple[str, ...]] = {}
    for name, own in marks().items():
        found.update({word: (*found.get(word, ()), name) for word in own})
    return found
