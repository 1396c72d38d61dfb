"""Chinese, Japanese and their like: no words to align, so only texts alike but for script, stops and politeness agree."""

import re
import unicodedata

_LEFT_OUT = re.compile(r"[\s。、，．.,!！「」『』・]+")
_SPEAKER = re.compile(r"^(?:私|僕|ぼく|俺|わたし)(?:は|が)")
_POLITE_END = re.compile(r"(?:です|だ)?[よねわ]*$")
_KATAKANA = re.compile(r"[\u30a1-\u30f6]")
_FROM_HIRAGANA = ord("ァ") - ord("ぁ")
_WHOLE = re.compile(r"[\u30a1-\u30fa\u30fc\u3400-\u9fff]")
_PARTICLES = "はがをに"


def alike(one: str, other: str) -> bool:
    """Whether two plain texts agree, hiragana or katakana, but for one particle that one leaves out behind a noun."""
    shorter, longer = sorted((_core(one), _core(other)), key=len)
    ours, theirs = _hiragana(shorter), _hiragana(longer)
    if ours == theirs:
        return True
    return len(theirs) == len(ours) + 1 and any(
        char in _PARTICLES and ours == theirs[: at + 1] + theirs[at + 2 :] and _WHOLE.match(longer[at])
        for at, char in enumerate(longer[1:])
    )


def _core(text: str) -> str:
    """What must agree: everything but spaces, stops, "I" at the start and a polite or chatty end."""
    spelled = unicodedata.normalize("NFKC", text).lower()
    return _POLITE_END.sub("", _SPEAKER.sub("", _LEFT_OUT.sub("", spelled)))


def _hiragana(text: str) -> str:
    return _KATAKANA.sub(lambda match: chr(ord(match[0]) - _FROM_HIRAGANA), text)
