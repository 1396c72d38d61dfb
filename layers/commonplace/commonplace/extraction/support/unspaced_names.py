"""Names where nothing is written with a capital: of places and people, by the words that they stand beside."""

import re
from collections.abc import Iterator
from unicodedata import normalize

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
_SCRIPT = re.compile(rf"{_HAN}|[ぁ-ゖ가-힣]")
_OF_A_PLACE = re.compile(r"^.*[都道府県](?=.{2})|(?<=..)[都道府県市区町村]$")
_COMMON = re.compile(
    r"実家|近所|近く|郊外|都[内心会]|海外|国[内外]|外国|田舎|[市県区町]内|駅前|一緒|[一二三四五]人|現在|同居|同棲|地元|故郷|社宅|寮|[同各当全毎]"
    r"|家族|祖[父母]|[父母兄弟姉妹娘孫嫁]$|息子|奥$|店|患者|医者|客|業者|生徒|学生|職人|大家"
    r"|집|아파트|근처|시골|도시|시내|기숙사|혼자|함께|같이|여기|거기|동네|교외|해외"
)


def unsupported_unspaced(content: str, pool: str, code: str) -> str | None:
    """The first such name of the content that the pool doesn't hold; None if it holds all, or is of another script."""
    told, names = normalize("NFKC", pool), _NAMES.get(code)
    if names is None or not _SCRIPT.search(told):
        return None
    return next((name for name in _named(names, normalize("NFKC", content)) if name not in told), None)


def _named(names: re.Pattern[str], content: str) -> Iterator[str]:
    """Without what a place is part of and what kind of place it is: 「大阪府豊中市」 is 豊中."""
    for match in names.finditer(content):
        name = next(filter(None, match.groups()))
        if not _COMMON.search(name):
            yield _OF_A_PLACE.sub("", name)
