"""A memory may say it in other words, never the other way round, and of no other place or name."""

from datetime import date

import pytest

from commonplace.extraction.grounding.evidence import unsupported

SUNDAY = date(2026, 11, 22)

FAITHFUL = [
    ("I'm allergic to walnuts.", "I'm allergic to walnuts."),
    ("I don't eat meat", "The user is a vegetarian who doesn't eat meat."),
    ("I quit smoking", "The user stopped smoking."),
    ("I'm done with smoking for good", "The user stopped smoking."),
    ("I gave up sugar in spring", "The user avoids sugar."),
    ("I can't stand cilantro", "The user hates cilantro."),
    ("cilantro is disgusting", "The user dislikes cilantro."),
    ("I like tea, not coffee", "The user likes tea and does not like coffee."),
    ("I like coffee and do not like tea.", "The user likes coffee and does not like tea."),
    ("I like coffee and do not like tea.", "The user does not like tea but likes coffee."),
    ("I eat fish but not meat at home.", "The user eats fish but not meat at home."),
    ("I don't eat meat, just fish", "The user eats fish but no meat."),
    ("I don't like my job at Siemens", "The user works at Siemens and dislikes the job."),
    ("I work at Siemens and I hate it", "The user hates working at Siemens."),
    ("no longer at Siemens, I'm at Bosch now", "The user works at Bosch and no longer at Siemens."),
    ("peanut allergy here, carry an epipen", "The user is allergic to peanuts."),
    ("I'm coeliac", "The user is intolerant to gluten."),
    ("I was a teacher until last year", "The user is a former teacher."),
    ("I'm exhausted these days", "The user is tired."),
    ("I can't live without coffee", "The user loves coffee."),
    ("I'm not allergic to nuts", "The user is not allergic to nuts."),
    ("I'm vegetarian but I eat eggs", "The user is a vegetarian who eats eggs."),
    ("I used to smoke", "The user no longer smokes."),
    ("We don't have kids, only two cats", "The user has two cats and no children."),
    ("I hate mushrooms. I love olives.", "The user loves olives and hates mushrooms."),
    ("My sister and I are vegan", "The user and their sister are vegan."),
    ("don't forget that my birthday is in May", "The user's birthday is in May."),
    ("I have two dogs, no cats", "The user has two dogs and no cats."),
    ("I love my job but hate the commute", "The user loves their job but hates the commute."),
    ("I tried sushi and didn't like it", "The user does not like sushi."),
    ("Ich esse kein Fleisch", "Der Nutzer ist Vegetarier und isst kein Fleisch."),
    ("Ich hab mit dem Rauchen aufgehört", "Der Nutzer raucht nicht mehr."),
    ("Ich mag Tee, aber keinen Kaffee", "Der Nutzer mag Tee und mag keinen Kaffee."),
    ("Von Nüssen kriege ich einen Allergieschock", "Der Nutzer ist allergisch gegen Nüsse."),
    ("Koriander finde ich eklig", "Der Nutzer hasst Koriander."),
    ("Je ne mange pas de viande", "L'utilisateur est végétarien et ne mange pas de viande."),
    ("J'aime le thé mais pas le café", "L'utilisateur aime le thé et n'aime pas le café."),
    ("J'ai arrêté de fumer", "L'utilisateur ne fume pas."),
    ("Je ne supporte pas la coriandre", "L'utilisateur déteste la coriandre."),
    ("No como carne", "El usuario es vegetariano y no come carne."),
    ("Me gusta el té, pero no el café", "Al usuario le gusta el té y no le gusta el café."),
    ("No soporto el cilantro", "El usuario odia el cilantro."),
    ("He dejado de fumar", "El usuario no fuma."),
    ("肉は食べません", "ユーザーは菜食で、肉を食べない。"),
    ("タバコはやめました", "ユーザーはタバコを吸わない。"),
    ("紅茶は好きですが、コーヒーは好きじゃないです", "ユーザーは紅茶が好きで、コーヒーは嫌い。"),
    ("パクチーが苦手です", "ユーザーはパクチーが嫌い。"),
    ("大阪市に住んでいます。", "ユーザーは大阪に住んでいる。"),
    ("大阪府豊中市に住んでます", "ユーザーは豊中市に住んでいます。"),
    ("駅の近くで一人暮らしです", "ユーザーは駅の近所に住んでいる。"),
    ("私の娘の名前は美咲です。", "ユーザーの娘の名前は美咲。"),
    ("母は元気です", "ユーザーのお母さんは元気。"),
    ("我喜欢茶，不喜欢咖啡", "用户喜欢茶，不喜欢咖啡。"),
    ("我住在北京的郊区", "用户住在北京郊区。"),
    ("我女儿叫小美", "用户的女儿名叫小美。"),
    ("제 딸 이름은 미나예요", "사용자의 딸 이름은 미나입니다."),
    ("부산에 살고 있어요", "사용자는 부산에 거주한다."),
    ("고기를 안 먹어요", "The user does not eat meat."),
    ("I live in Osaka", "ユーザーは大阪に住んでいる。"),
]
UNFAITHFUL = [
    ("I like coffee and do not like tea.", "The user likes tea and does not like coffee."),
    ("I like coffee and do not like tea.", "The user does not like coffee and likes tea."),
    ("I like coffee and do not like tea.", "The user likes coffee and tea."),
    ("I eat fish but not meat at home.", "The user eats meat but not fish at home."),
    ("I eat fish but not meat at home.", "The user does not eat fish at home but eats meat."),
    ("I eat fish but I don't touch meat.", "The user eats meat."),
    ("I eat meat every day", "The user stopped eating meat."),
    ("I eat meat every day", "The user hates eating meat."),
    ("I eat meat every day", "The user is allergic to meat."),
    ("I eat meat every day", "The user avoids meat."),
    ("I love jazz but hate techno", "The user hates jazz."),
    ("I love jazz but hate techno", "The user loves techno."),
    ("I'm allergic to nuts", "The user is not allergic to nuts."),
    ("I'm not allergic to nuts", "The user is allergic to nuts."),
    ("I smoke a lot", "The user quit smoking."),
    ("I don't eat meat, I live in Rome", "The user eats meat and lives in Rome."),
    ("I live in Rome and I hate Milan", "The user hates Rome."),
    ("I hate mushrooms. I love olives.", "The user hates olives."),
    ("We have cats, no dogs", "The user has dogs and no cats."),
    ("My daughter is allergic to nuts, my son isn't", "The user's son is allergic to nuts."),
    ("Vivo en Valencia, no en Madrid", "El usuario vive en Madrid, no en Valencia."),
    ("犬が好きで猫は嫌い", "ユーザーは猫が好きで犬は嫌い。"),
    ("Ich mag Tee, aber keinen Kaffee", "Der Nutzer mag Kaffee, aber keinen Tee."),
    ("Ich esse jeden Tag Fleisch", "Der Nutzer hasst Fleisch."),
    ("Ich esse jeden Tag Nüsse", "Der Nutzer ist allergisch gegen Nüsse."),
    ("J'aime le thé mais pas le café", "L'utilisateur aime le café mais pas le thé."),
    ("Je mange de la viande", "L'utilisateur déteste la viande."),
    ("Je fume beaucoup", "L'utilisateur a arrêté de fumer."),
    ("Me gusta el té, pero no el café", "Al usuario le gusta el café, pero no el té."),
    ("Como carne todos los días", "El usuario odia la carne."),
    ("Mangio carne ogni giorno", "L'utente ha smesso di mangiare carne."),
    ("Eu gosto de chá, mas não de café", "O usuário gosta de café, mas não de chá."),
    ("Ik eet elke dag vlees", "De gebruiker haat vlees."),
    ("魚は食べるけど、肉は食べません", "ユーザーは肉を食べるが、魚は食べない。"),
    ("肉を毎日食べます", "ユーザーは肉が嫌い。"),
    ("大阪に住んでいます。", "ユーザーは東京に住んでいます。"),
    ("東京に引っ越しました", "ユーザーは京都に引っ越した。"),
    ("大阪に住んでいます。", "ユーザーは横浜市で暮らす。"),
    ("私の娘の名前は美咲です。", "ユーザーの娘の名前は花子です。"),
    ("私の娘の名前は美咲です。", "ユーザーの娘の名前はさくらです。"),
    ("同僚の田中さんと働いています", "ユーザーは佐藤さんと働いている。"),
    ("我喜欢茶，不喜欢咖啡", "用户喜欢咖啡，不喜欢茶。"),
    ("我住在北京", "用户住在上海。"),
    ("我女儿叫小美", "用户的女儿叫丽丽。"),
    ("제 딸 이름은 미나예요", "사용자의 딸 이름은 수지입니다."),
    ("부산에 살고 있어요", "사용자는 서울에 살고 있다."),
]


@pytest.mark.parametrize(("evidence", "content"), FAITHFUL)
def test_the_same_in_other_words_is_supported(evidence: str, content: str) -> None:
    assert unsupported(content, evidence, (), SUNDAY) is None


@pytest.mark.parametrize(("evidence", "content"), UNFAITHFUL)
def test_the_contrary_is_not(evidence: str, content: str) -> None:
    assert unsupported(content, evidence, (), SUNDAY) is not None


def test_what_an_update_keeps_may_say_no() -> None:
    memory = "The user does not like tea."
    assert unsupported("The user does not like tea but likes coffee.", "I like coffee", (memory,), SUNDAY) is None
    assert unsupported("The user likes tea and coffee.", "I don't like tea, coffee I like", (memory,), SUNDAY) is not None


def test_what_is_asked_for_may_be_a_no() -> None:
    assert unsupported("The user is allergic to shellfish.", "just shellfish", ("Any allergies?",), SUNDAY) is None
    assert unsupported("The user is allergic to shellfish.", "just shellfish", ("What do you like?",), SUNDAY) is not None


def test_a_no_is_of_what_was_asked() -> None:
    question = "Do you take sugar and milk?"
    assert unsupported("The user takes milk and no sugar.", "milk, no sugar", (question,), SUNDAY) is None
    assert unsupported("The user does not take sugar or milk.", "no", (question,), SUNDAY) is None
    assert unsupported("The user takes sugar.", "no", (question,), SUNDAY) is not None


def test_what_stands_word_for_word_in_the_memory_that_it_changes_is_not_held_against_the_new_no() -> None:
    old = "抄録は6月30日までに出せって。病院ブログの原稿も6月25日締切で重なっとる。"
    said = "抄録の締切、7月7日に延びたって!6月30日じゃなくなった、七夕に感謝。"
    new = f"病院ブログの原稿も6月25日締切で重なっとる。 {said}"
    assert unsupported(new, said, [old], SUNDAY) is None


@pytest.mark.parametrize(
    ("old", "said", "new"),
    [
        ("I go to yoga every Thursday with my sister.", "I quit yoga.", "With my sister. I quit yoga."),
        (
            "I run every Tuesday with my friend Tom.",
            "I don't run on Tuesdays anymore.",
            "With my friend Tom. I don't run on Tuesdays anymore.",
        ),
    ],
)
def test_with_whom_it_was_is_not_held_against_the_new_no(old: str, said: str, new: str) -> None:
    assert unsupported(new, said, [old], SUNDAY) is None


def test_a_piece_of_a_no_in_the_memory_that_it_changes_is_no_yes() -> None:
    old, said = "I don't eat pork with my sister.", "No more beef for me."
    assert unsupported("The user eats pork with my sister.", said, [old], SUNDAY) is not None
    assert unsupported("Eat pork with my sister.", said, [old], SUNDAY) is not None
