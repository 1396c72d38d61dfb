"""Chinese, Japanese and their like: no words to align, so only texts alike but for punctuation and politeness agree."""

import re
import unicodedata

_LEFT_OUT = re.compile(r"[\s。、，．.,!！「」『』・]+")
_SPEAKER = re.compile(r"^(?:私|僕|ぼく|俺|わたし)(?:は|が)")
_POLITE_END = re.compile(r"(?:です|だ)?[よねわ]*$")


def core(text: str) -> str:
    """What must agree: everything but spaces, stops, "I" at the start and a polite or chatty end."""
    spelled = unicodedata.normalize("NFKC", text).lower()
    return _POLITE_END.sub("", _SPEAKER.sub("", _LEFT_OUT.sub("", spelled)))
