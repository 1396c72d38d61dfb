"""One-time codes with no word for one: "it just texted me 581 204, type it quick", "me ha llegado 730 918 por sms"."""

import re
from collections.abc import Iterator

from commonplace.redaction.openers import is_like_year_or_price, stands_alone
from commonplace.redaction.view import Span, View

_NUMBER = re.compile(r"(?<![A-Za-z0-9_.,:/#$€£+-])(?<!\d\s)(?:\d{3}[ -]\d{3}|\d{4,8})(?![a-z0-9%€$£]|[ .,:/-]{1,2}\d)")
_SMALL = (
    r"(?:me|us|you|just|now|this|that|it|the|a|an|one|code|number|el|la|lo|un|que|ya|ahora|este|esto|mir|uns|dir|die|der|das|den"
    r"|grad|grade|gerade|eben|jetzt|hier|le|ca|moi|nous|vient|par|per|by|via|por|de|from|with|in|through|up|sms|text|texto|txt|mensaje|message|nachricht|hat|han|ha|has)"
)
_ARRIVED = (
    r"(?:texted|sent|sends|got|received|came|arrived|popped|messaged|llegad[oa]|llego|llega|mando|mandado|mandaron|enviado"
    r"|enviaron|recibido|recibi|bekommen|bekam|gekriegt|kriege|kam|kommt|gekommen|schickt|schickte|schicken|erhalten|recu|recevoir"
    r"|envoye|envoie|arriver?|llegar|mandarme|enviarme)"
)
_BEFORE = re.compile(rf"(?<![a-z]){_ARRIVED}(?:[,:]?\s{_SMALL}){{0,4}}[,:]?\s$|(?<![a-z])(?:sms|texto|text)\s?:\s$")
_AFTER = re.compile(
    rf"(?:,?\s{_SMALL}){{0,4}}\s(?:bekommen|gekriegt|geschickt|erhalten|gekommen|reingekommen|enviado|mandado|llegado|arrived|came)(?![a-z])"
    r"|(?:って|と|が)\s?(?:来|き|届)(?:た|まし|い)"
)
_MEDIUM = re.compile(
    r"(?<![a-z])(?:texted|text|txt|sms|texto|mensaje|message|nachricht|whatsapp|bank|banque|banco|google|paypal|amazon|instagram|telegram)(?![a-z])|メッセージ|ショートメール"
)
_HURRY = re.compile(
    r"(?<![a-z])(?:expire|runs? out|before it|caduc|ablauft|perime|tape ca|trag |lauft (?:gleich |bald )?ab|gilt (?:nur|noch)|nur \d{1,2} minuten"
    r"|valable|(?:valid|good) for|(?:type|put|enter|punch|pop|key|plug) (?:it|that)|mete?l[ao]|ponl[oa]|ponme|escribel|teclea"
    r"|(?:gib|tipp|trag) (?:das|den|die|es|ihn|sie|mal)|(?:tape|rentre|mets|saisis|entre)[ -]l[ea]s?(?![a-z])|(?:rapido|schnell|vite)(?![a-z]))"
    r"|入れて|入力|有効|期限|(?:\d|一|数)分以内"
)
_STEPS = re.compile(
    r"[\s,;:.!]{1,3}(?:type|put|enter|punch|pop|quick|by|per|por|par|via|aufs|auf mein|al movil|sur mon|trag|ponl|mete|gib|tipp|tape|rentre|mets)(?![a-z])"
)
_LEFT, _RIGHT = 60, 90


def find_arrivals(view: View) -> Iterator[Span]:
    """Spans of numbers that are said to have come in, and to be typed in soon."""
    for match in _NUMBER.finditer(view.folded):
        start, end = match.span()
        came = _BEFORE.search(view.folded, max(0, start - _LEFT), start) or _AFTER.match(view.folded, end)
        if not came:
            continue
        near = view.folded[max(0, start - _LEFT) : end + _RIGHT]
        medium, hurry = _MEDIUM.search(near) is not None, _HURRY.search(near) is not None
        if not (medium and hurry if len(match[0]) < 6 else medium or hurry) or is_like_year_or_price(match[0]):
            continue
        if _AFTER.match(view.folded, end) or _STEPS.match(view.folded, end) or stands_alone(view, start, end):
            yield Span(start, end, "one_time_code")
