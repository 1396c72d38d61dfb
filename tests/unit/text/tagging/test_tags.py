"""Tags and concepts of a text, consolidation with the user's own tags, expansions of a query."""

import re
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from commonplace.text.tagging import tags_of
from commonplace.text.tagging.names import standard
from commonplace.text.tagging.phrases import concepts_of
from commonplace.text.tagging.synonyms import consolidate, expansions

# text | tags that must be there | tags that must not
TAGGED = """
I'm 43 and I love concept albums and triathlons. | music triathlon age | love i'm 43
I go running most mornings before work. | running exercise morning | go most before
im 43 | age | im
I'm 10 minutes away from the airport | travel | age minute
im allergic 2 peanuts n shellfish, pls remember!! | allergy health peanut | pls remember
My wife Elena and I left Munich for New York | partner family elena munich new-york | left
deadline for the Q3 report is friday EOD, urgent | deadline urgent report | friday eod
we're finally doing the Postgres migration next sprint | postgresql database migration | running we're doing
my daughter Mia starts kindergarten, she's 5 years old | children family age mia | starts
i used to drink coffee, now only green tea because of my blood pressure | coffee tea health green-tea blood-pressure | used drink
Always answer in bullet points and keep it short. | answer-style bullet-point | always keep
My dentist appointment with Dr. Patel was moved to 3pm on Tuesday. | dentist appointment patel | moving tuesday
i work as a nurse at St. Mary's hospital, night shifts mostly | nursing work health | mostly
I write mostly TypeScript + React | typescript react programming | write mostly
I react badly to penicillin | penicillin | react badly
I want to learn Spanish before our trip to Peru | language-learning travel peru | want learn
Our golden retriever Biscuit had surgery on his left knee | dog pets health biscuit | had left
I prefer dark mode in VS Code and vim keybindings everywhere | editor dark-mode | prefer dark everywhere
I take 500 mg of metformin twice a day with breakfast | medication health food | twice 500
Remember that our AWS bill must stay under 200 dollars monthly | aws cloud bill monthly | remember 200
I can't stand country music, give me heavy metal any day | music country-music heavy-metal | stand give
We adopted two kittens from the shelter: Luna and Oreo | cat pets luna oreo | adopted
I hike every weekend in the Alps | hiking exercise weekend alps | every
My passport expires soon, remind me to renew it | travel reminder | expires soon
We use Docker and k8s in production with Terraform | docker kubernetes terraform | use
I'm a C++ developer, C# in my spare time | cpp csharp programming | spare
Saving up for a house, mortgage rates are scary | goal housing mortgage | scary
My sister-in-law is vegan and gluten intolerant | family vegan allergy sister-in-law | law intolerant
I meditate daily, every morning at six | meditation daily morning | six
I play chess and board games with my brother | chess board-games family | play
My ML model needs training data | machine-learning | needs
Tax return is due by April 15 | taxes deadline | april
I have insomnia and see a therapist weekly | sleep mental-health weekly | see
My birthday is on March 3rd | birthday | march
call me Max, my nickname | name max | my
I collect vinyl records, mostly jazz | music hobby | mostly
I'm learning to play the cello | cello music learning | play
We rent an apartment in Porto with a balcony | home housing porto | we
My boss wants the slides before the board meeting | work meeting communication | wants before
I got a promotion, salary goes up in May | career salary | goes may
Ich bin 34 Jahre alt, wohne in Augsburg und spiele seit Jahren Klavier. | age residence piano music augsburg | jahren alt wohne
Meine Schwester hat eine Nussallergie, bitte nicht vergessen! | family allergy nussallergie schwester | bitte nicht
Jeden Dienstag gehe ich mit Anna zum Lauftreff | running exercise weekly anna | dienstag gehe
Ich lerne Spanisch und koche gern | language-learning cooking | gern
J'ai 28 ans et je travaille comme infirmière à Lyon | age work nursing lyon | ans comme
Je préfère le café noir, sans sucre, le matin. | coffee morning sucre | préfère sans
Mon chat mange du pain | cat food | health
Ma femme est allergique aux noix | partner allergy food | aux
Mi hermana vive en Lima y es alérgica a los mariscos | family allergy food lima | vive los
Quiero correr la maratón de Berlín en otoño | running marathon exercise | quiero otoño
Tengo 35 años y trabajo como profesora | age work teaching | tengo años
Me gusta leer novelas por la noche | reading night | gusta noche
私は毎朝公園を走ります。ピーナッツアレルギーがあります。 | running allergy 公園 morning | 私
東京の出版社で働いています。趣味は写真とジャズです。 | work photography music 東京 出版社 | です
山田さんと会議があります | meeting 山田 | nature
来週の金曜日までにレポートの締め切りがある | deadline レポート | 来週
毎週火曜日にヨガのクラスに通っています | yoga weekly クラス | 火曜日
我每天早上跑步，喜欢喝咖啡，不吃香菜 | running coffee daily morning | 喜欢
my wifi password is [redacted:password] and my key [redacted:aws-access-key] | networking security | redacted aws aws-access-key
my card is [redacted:credit_card] | card | redacted credit finance
see https://python.org/music/cooking and write to jazz@music.com | misc | music python cooking
ok thanks! | misc | ok thanks
haha yes | misc | haha
[redacted:password] | misc | password security
""".strip().splitlines()
SEVERAL_MEANINGS = (Path(__file__).parent / "cases" / "tags.txt").read_text(encoding="utf-8").splitlines()


@pytest.mark.parametrize("row", TAGGED + SEVERAL_MEANINGS, ids=lambda row: row.split("|")[0].strip()[:40])
def test_a_text_has_the_tags_that_it_names_and_none_that_it_does_not(row: str) -> None:
    text, wanted, unwanted = (part.strip() for part in row.split("|"))
    tags = set(tags_of(text))
    assert set(wanted.split()) <= tags
    assert not set(unwanted.split()) & tags


@pytest.mark.parametrize(
    ("text", "concepts"),
    [
        ("I'm 43 and I love concept albums and triathlons.", ["concept albums", "triathlons"]),
        ("we're finally doing the Postgres migration", ["Postgres migration"]),
        ("We moved to New York with my wife Elena", ["New York", "Elena", "wife"]),
        ("My PhD is on graph neural networks", ["graph neural networks", "PhD"]),
        ("Der Klavierunterricht beginnt im Herbst in Augsburg", ["Klavierunterricht", "Augsburg"]),
        ("東京の出版社で働いています", ["東京", "出版社"]),
        ("ok thanks!", []),
        ("my bank card is [redacted:aws-access-key]", ["bank card"]),
    ],
)
def test_concepts_are_the_noun_phrases_as_written(text: str, concepts: list[str]) -> None:
    assert concepts_of(text) == concepts


_TEXTS = st.text(max_size=200) | st.lists(
    st.sampled_from(
        ["I", "love", "running", "Berlin", "C++", "朝", "音楽", "[redacted:zorkmid", "]", "-", "'s", "2024", "İ", "ẞ"]
    )
).map(" ".join)


@given(_TEXTS)
def test_tags_are_one_to_eight_different_lower_case_tokens_and_always_the_same(text: str) -> None:
    tags = tags_of(text)
    assert 1 <= len(tags) <= 8
    assert len(set(tags)) == len(tags)
    assert all(re.fullmatch(r"\S{1,64}", tag) and tag == tag.casefold() for tag in tags)
    assert tags == tags_of(text)


@given(_TEXTS)
def test_concepts_are_at_most_eight_and_never_blank(text: str) -> None:
    concepts = concepts_of(text)
    assert len(concepts) <= 8
    assert all(concept.strip() == concept and concept for concept in concepts)


@given(st.text(max_size=60), st.from_regex(r"[a-z]{4,9}[-_ ]zorkmid", fullmatch=True), st.text(max_size=60))
def test_nothing_comes_from_inside_a_redaction(before: str, kind: str, after: str) -> None:
    text = f"{before} [redacted:{kind}] {after}"
    assert not [found for found in (*tags_of(text), *concepts_of(text)) if "zorkmid" in found.casefold()]


@given(st.integers(1, 10))
def test_no_more_tags_and_concepts_than_asked_for(limit: int) -> None:
    text = "My wife Elena cooks pasta in Rome while I play guitar, read novels and debug Python on my laptop every day."
    assert len(tags_of(text, limit)) <= limit
    assert len(concepts_of(text, limit)) <= limit


def test_a_long_sentence_without_spaces_is_read_and_a_long_string_is_not() -> None:
    japanese = "私は毎朝公園を走っていて、趣味は写真とジャズで、週末には家族と一緒に山へ出かけることが多く、" * 2
    assert len(japanese) > 65
    assert {"running", "photography", "music"} <= set(tags_of(japanese))
    assert tags_of("https://example.org/jazzで読んだ。猫が好きです")[0] == "cat"
    assert tags_of("music" * 20) == ["misc"]


@pytest.mark.parametrize("text", ["The lift is broken again", "I drove a tram for years", "I got sacked", "I'm pregnant"])
def test_a_short_text_has_a_tag_of_its_plainer_words(text: str) -> None:
    assert tags_of(text) != ["misc"]


def _always(score: float | None) -> Callable[[str, str], float | None]:
    return lambda _one, _other: score


@pytest.mark.parametrize(
    ("new", "own"),
    [
        *[("ml", "machine-learning"), ("postgres", "postgresql"), ("mom", "mother"), ("running", "jogging")],
        *[("film", "movies"), ("color", "colour"), ("organization", "organisation")],
        *[("cafe", "café"), ("machine_learning", "machine-learning"), ("allergies", "allergy"), ("cities", "city")],
        *[("childrens-book", "childrens-books"), ("Music", "music"), ("theatre", "theater")],
    ],
)
def test_a_tag_written_otherwise_becomes_the_users_own(new: str, own: str) -> None:
    assert consolidate([new], {own: 3, "unrelated": 9}, _always(0.0)) == {new: own}


@pytest.mark.parametrize(
    ("new", "own"),
    [
        *[("monday", "tuesday"), ("red", "blue"), ("mother", "father"), ("python", "java"), ("running", "walking")],
        *[("berlin", "munich"), ("python-3", "python-2"), ("german", "french"), ("july", "june"), ("hired", "fired")],
        *[("monday-meeting", "friday-meeting"), ("grandma", "grandpa"), ("green-tea", "tea"), ("work", "workmate")],
        *[("hypertension", "hypotension"), ("c++", "c#"), ("environment", "environment-variable"), ("vegan", "non-vegan")],
    ],
)
def test_siblings_stay_apart_however_close_their_vectors(new: str, own: str) -> None:
    assert consolidate([new], {own: 5}, _always(0.99)) == {}


def test_a_close_vector_merges_what_no_rule_knows() -> None:
    assert consolidate(["gigging"], {"busking": 2}, _always(0.7)) == {"gigging": "busking"}
    assert consolidate(["gigging"], {"busking": 2}, _always(0.69)) == {}
    assert consolidate(["gigging"], {"busking": 2}, _always(None)) == {}


def test_the_more_used_of_two_own_tags_wins() -> None:
    assert consolidate(["movies"], {"movie": 2, "film": 7}, _always(0.0)) == {"movies": "film"}


def test_a_tag_that_the_user_has_is_never_replaced() -> None:
    assert consolidate(["film"], {"film": 1, "movie": 99}, _always(0.99)) == {}


@pytest.mark.parametrize(
    ("short", "full"),
    [
        *[("js", "javascript"), ("k8s", "kubernetes"), ("postgres", "postgresql"), ("db", "database"), ("py", "python")],
        *[("infra", "infrastructure"), ("uni", "university"), ("nyc", "new-york"), ("iac", "infrastructure-as-code")],
    ],
)
def test_an_abbreviation_is_written_in_full_whatever_the_user_had_first(short: str, full: str) -> None:
    assert standard(short) == full
    for existing in ({}, {short: 9}, {full: 1}, {short: 9, full: 1}):
        assert consolidate([short], existing, _always(0.99)) == {short: full}
        assert consolidate([full], existing, _always(0.99)) == {}


@pytest.mark.parametrize("tag", ["apt", "tv", "jogging", "fiance", "ether", "mom", "music", "c++", "app", "\u0300", "-", ""])
def test_what_is_no_abbreviation_or_one_of_two_things_stays(tag: str) -> None:
    assert standard(tag) == tag


def test_few_pairs_are_compared_however_many_tags_there_are() -> None:
    asked: list[tuple[str, str]] = []

    def cosine(one: str, other: str) -> float:
        asked.append((one, other))
        return 0.0

    consolidate([f"blorp{letter}" for letter in "abcdefgh"], {f"thing{'x' * n}": n for n in range(500)}, cosine)
    assert 0 < len(asked) <= 32


@given(st.lists(st.sampled_from(["js", "javascript", "cats", "cat", "colour", "gym", "walk"])), st.data())
def test_replacements_are_own_tags_and_make_no_chains(new: list[str], data: st.DataObject) -> None:
    names = ["javascript", "ecmascript", "cat", "color", "gymnasium", "walking"]
    own = data.draw(st.dictionaries(st.sampled_from(names), st.integers(1, 9)))
    renamed = consolidate(new, own, _always(0.8))
    assert set(renamed.values()) <= {*own, "javascript"}
    assert not set(renamed) & {*own, *renamed.values()}


@pytest.mark.parametrize(
    ("query", "wanted"),
    [
        ("which allergies do i have", "allergy"),
        ("my js projects", "javascript"),
        ("machine learning papers", "ml"),
        ("what does my sister do", "family"),
        ("mi hermana", "family"),
    ],
)
def test_a_query_is_widened_by_aliases_and_topics(query: str, wanted: str) -> None:
    assert wanted in expansions(query.split())


def test_expansions_leave_out_words_of_the_query() -> None:
    assert expansions(["music"]) == {}
    assert expansions("tell us about it".split()) == {}
