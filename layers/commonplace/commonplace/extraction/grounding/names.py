"""The names in a text: by capitals, and in unspaced scripts by the words beside them."""

import re
import unicodedata
from collections.abc import Iterator
from unicodedata import normalize

from commonplace.extraction.grounding.polarity import no_names
from commonplace.text.foundation.characters import has_kana_or_han
from commonplace.text.foundation.english import is_english
from commonplace.text.foundation.numbers import numbers_of

_HAN = r"[\u3400-\u9fff々]"
_NAMES = {
    "ja": re.compile(
        rf"(?:名前|名|愛称)は[「『]?((?:{_HAN}|[ぁ-ゖ])+?)(?=[」』]|です|だ|で、|でし|という|といい|と[言申]|[。、\s]|$)"
        rf"|({_HAN}{{2,9}})(?=に住|[にへ]引っ越|に移住|[でに]暮ら|在住|出身|育ち|で生まれ|に転勤)"
        rf"|({_HAN}{{1,6}}[市県府区町村])(?![場民内役別長政営立議有会道街])"
        rf"|({_HAN}{{2,4}})(?=さん|ちゃん|くん|君(?!主))"
    ),
    "zh": re.compile(
        rf"(?:名叫|名字叫做?|名字是|名[为為]|叫做|(?<=[儿兒子妻夫友弟妹姐哥狗猫貓妈媽爸户戶他她])叫)(?![醒车車我他她你人做外])({_HAN}{{2}})"
        rf"|(?:住在|搬[到去]了?|[来來]自|移居|定居在?)(?![一这這那城家学學父公他她自乡鄉市郊附宿酒国國海老农農楼樓同朋新别別])({_HAN}{{2}})"
    ),
    "ko": re.compile(
        r"이름은 ([가-힣]{2,5}?)(?=이고|이며|이다|이라|입니다|이에요|예요|라고|다\b|[,.\s]|$)"
        r"|([가-힣]{2,5}?)(?:시|도)?(?:에서?|으?로) ?(?=살|거주|이사|산다|태어)"
    ),
}
LANGUAGES_WITHOUT_CAPITALS = tuple(_NAMES)
"""In which a name is told by the words that it stands beside."""
_SCRIPT = re.compile(rf"{_HAN}|[ぁ-ゖ가-힣]")
_OF_A_PLACE = re.compile(r"^.*[都道府県](?=.{2})|(?<=..)[都道府県市区町村]$")
_COMMON = re.compile(
    r"実家|近所|近く|郊外|都[内心会]|海外|国[内外]|外国|田舎|[市県区町]内|駅前|一緒|[一二三四五]人|現在|同居|同棲|地元|故郷|社宅|寮|[同各当全毎]"
    r"|家族|祖[父母]|[父母兄弟姉妹娘孫嫁]$|息子|奥$|店|患者|医者|客|業者|生徒|学生|職人|大家"
    r"|집|아파트|근처|시골|도시|시내|기숙사|혼자|함께|같이|여기|거기|동네|교외|해외"
)

_WORD = re.compile(r"[^\W_]+(?:[.'’+#&-][^\W_]+)*[+#]*")
_ENDS = re.compile(r"[.!?:…。！？\n]\s*$|^\W*$")
_POSSESSIVE = re.compile(r"['’]s?$")
_KATAKANA = re.compile(r"(?<![ァ-ヺー])(?!ユーザー?(?![ァ-ヺー]))[ァ-ヺー]{2,}")
_LEAST_STEM, _MOST_ENDING = 4, 3
# German gives every noun a capital: behind one of these it is a noun, as it is with one of these endings.
_BEFORE_NOUN = re.compile(
    r"\d\s$|\b(?:der|die|das|den|dem|des|(?:k?ein|mein|dein|sein|ihr|unser|jed|dies|viel|all)(?:e[nmrs]?)?|zum|zur|im|beim|als|am|ans|ins)\s(?:[a-zäöü]\w*\s){0,2}$"
)
_NOUN = re.compile(r"\w{3,}(?:ung|heit|keit|schaft|ion|tät|ismus|nis|tum|chen|erei|in|innen|er)(?:en|s|n)?$")


def unsupported_unspaced(content: str, pool: str, code: str) -> str | None:
    """The first name in unspaced script that the pool lacks; None if it has all."""
    normalized_pool, names = normalize("NFKC", pool), _NAMES.get(code)
    if names is None or not _SCRIPT.search(normalized_pool):
        return None
    return next((name for name in _named(names, normalize("NFKC", content)) if name not in normalized_pool), None)


def _named(names: re.Pattern[str], content: str) -> Iterator[str]:
    """The names without the larger place and the kind of place: 「大阪府豊中市」 is 豊中."""
    for match in names.finditer(content):
        name = next(filter(None, match.groups()))
        if not _COMMON.search(name):
            yield _OF_A_PLACE.sub("", name)


def unsupported_name(content: str, pool: str, code: str) -> str | None:
    """The first name of the content that the pool lacks in any form; None if it has all."""
    known = {_plain(word) for word in _WORD.findall(pool)}
    stems: dict[str, list[str]] = {}
    for word in known:
        stems.setdefault(word[:_LEAST_STEM], []).append(word)
    together = _multi_word_names(content)
    for name in _names(content, code):
        plain = _plain(name)
        parts = re.split(r"[.'’&-]", plain)
        if not (
            plain in known
            or any(_are_forms_of_one(plain, other) for other in stems.get(plain[:_LEAST_STEM], ()))
            or any(plain in words and told in known for told, words in together)
            or all(part in known for part in parts)
        ):
            return name
    folded = unicodedata.normalize("NFKC", pool)
    return next((run for run in _KATAKANA.findall(unicodedata.normalize("NFKC", content)) if run not in folded), None)


def _names(content: str, code: str) -> Iterator[str]:
    for match in _WORD.finditer(content):
        word = match[0]
        named = any(map(str.isupper, word)) or any(map(str.isdigit, word))
        if not named or word[0].isdigit() or has_kana_or_han(word) or _plain(word) in no_names(code):
            continue
        before = content[max(0, match.start() - 60) : match.start()]
        if _ENDS.search(before[-3:] if before else "") and not _is_name_at_start(word, code):
            continue
        if code == "de" and (_BEFORE_NOUN.search(before) or _NOUN.fullmatch(word) or _counted(before)):
            continue
        yield word


def _counted(before: str) -> bool:
    return before.casefold().rpartition(" ")[0].rpartition(" ")[2] in numbers_of("de")


def _is_name_at_start(word: str, code: str) -> bool:
    """Whether the first word of a sentence, always capitalized, is a name: English has no such word."""
    return code == "en" and word.isascii() and not is_english(_plain(word))


def _plain(word: str) -> str:
    return _POSSESSIVE.sub("", unicodedata.normalize("NFKC", word).casefold())


def _are_forms_of_one(one: str, other: str) -> bool:
    """Whether two words are forms of one name: "Italian" and "Italians", "Germany" and "German"."""
    shorter, longer = sorted((one, other), key=len)
    return longer.startswith(shorter[: max(_LEAST_STEM, len(shorter) - 1)]) and len(longer) - len(shorter) <= _MOST_ENDING


def _multi_word_names(content: str) -> list[tuple[str, list[str]]]:
    """Names of several words as initials and as one word: "New York City" is "nyc", "VS Code" is "vscode"."""
    runs = re.findall(r"[^\W\d_][\w'’]*(?:\s[^\W\d_][\w'’]*)+", content)
    found = []
    for run in runs:
        words = [word for word in run.split() if word[0].isupper()]
        for size in range(2, min(5, len(words)) + 1):
            for at in range(len(words) - size + 1):
                part = [_plain(word) for word in words[at : at + size]]
                found += [("".join(word[0] for word in part), part), ("".join(part), part)]
    return found
