"""Secrets are found in five languages and many formats, and what only looks or sounds like one stays."""

import re
import time
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from commonplace.text.redaction import redact

# Put together here, so that no scanner takes this file for a leak.
RANDOM = "aB3dE5fG7hJ9kL2mN4pQ6rS8tU1vW0xYz" * 4
HEX = "9f86d081884c7d659a2feaa0c55ad015" * 4
WORDS = "abandon ability able about above absent absorb abstract absurd abuse access accident"
PEM = "-----{} RSA PRIVATE KEY-----"
BODY = "MIIEowIBAAKCAQEA7\nabcDEF123456789+/\n"
EYJ = "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0." + RANDOM[:43]

FORMATS = {
    "aws access key": ("key AKIA" + "IOSFODNN7EXAMPLE here", "IOSFODNN7"),
    "aws secret beside its key": ("AKIA" + f"IOSFODNN7EXAMPLE {RANDOM[:20]}/{RANDOM[3:22]}", RANDOM[:20]),
    "aws secret by name": (f"aws_secret_access_key = {RANDOM[:40]}", RANDOM[:40]),
    "github": ("my token is ghp_" + RANDOM[:36], RANDOM[:36]),
    "github, longer than they are today": ("ghp_" + RANDOM[:60], RANDOM[:60]),
    "github fine-grained": ("github_pat_" + RANDOM[:60], RANDOM[:60]),
    "gitlab": ("glpat-" + RANDOM[:20], RANDOM[:20]),
    "slack": ("slack: xoxb-123456789012-" + RANDOM[:24], RANDOM[:24]),
    "slack webhook": ("https://hooks.slack.com/services/T00/B00/" + RANDOM[:24], RANDOM[:24]),
    "stripe": ("sk_live_" + RANDOM[:24], RANDOM[:24]),
    "openai": ("use sk-proj-" + RANDOM[:48], RANDOM[:48]),
    "anthropic": ("sk-ant-api03-" + RANDOM[:80], RANDOM[:80]),
    "google": ("the maps key AIza" + RANDOM[:35], RANDOM[:35]),
    "npm": ("npm_" + RANDOM[:36], RANDOM[:36]),
    "pypi": ("pypi-AgEIcHlwaS5vcmc" + RANDOM[:80], RANDOM[:80]),
    "sendgrid": (f"SG.{RANDOM[:22]}.{RANDOM[:43]}", RANDOM[:22]),
    "twilio": ("twilio SK" + HEX[:32], HEX[:32]),
    "azure": (f"AccountName=foo;AccountKey={RANDOM[:86]}==;EndpointSuffix=core", RANDOM[:86]),
    "azure sas": (f"https://a.blob.core.windows.net/c?sv=2020&sig={RANDOM[:30]}%3D&se=2024", RANDOM[:30]),
    "telegram": (f"bot token 123456789:AA{RANDOM[:33]}", RANDOM[:33]),
    "discord": (f"M{RANDOM[:23]}.{RANDOM[:6]}.{RANDOM[:27]}", RANDOM[:27]),
    "discord, longer than they are today": (f"N{RANDOM[:25]}.{RANDOM[:6]}.{RANDOM[:38]}", RANDOM[:38]),
    "mailchimp": (f"the list is at {HEX[:32]}-us12", HEX[:32]),
    "artifactory": (f"AKCp8{RANDOM[:60]}", RANDOM[:60]),
    "artifactory, the password": (f"AP5{RANDOM[:30]}", RANDOM[:30]),
    "softlayer": (f"https://api.softlayer.com/soap/v3.1/{HEX[:64]}", HEX[:64]),
    "twilio, the account": ("sid AC" + HEX[:32], HEX[:32]),
    "aws access key without a figure": ("AKIA" + "QRSTUVWXYZABCDEF", "QRSTUVWXYZABCDEF"),
    "aws secret in quotes after the name": (f"AWS.config.update({{secret: '{RANDOM[:40]}'}})", RANDOM[:40]),
    "ibm": (f'config["ibm_cloud_iam_api_key"] = "{RANDOM[:44]}"', RANDOM[:44]),
    "cloudant": (f"https://ana:{HEX[:64]}@ana.cloudant.com/db", HEX[:64]),
    "jwt": (EYJ, RANDOM[:43]),
    "bearer": ("Authorization: Bearer " + RANDOM[:40], RANDOM[:40]),
    "basic": ("curl -H 'Authorization: Basic dXNlcjpwYXNzd29yZDEyMw==' https://x.y", "dXNlcjpwYXNzd29yZDEyMw"),
    "presigned": (f"https://b.s3.amazonaws.com/f?X-Amz-Signature={HEX[:64]}&X-Amz-Expires=3600", HEX[:64]),
    "basic auth in an address": ("https://ana:s3cr3tpw@example.com/path", "s3cr3tpw"),
    "database address": ("postgres://admin:p@ss:w/rd1@db.example.com:5432/app", "p@ss:w/rd1"),
    "no user": ("redis://:mypass99@localhost:6379/0", "mypass99"),
    "connection string": ("Server=db;User Id=sa;Password=Str0ng!Pw;Encrypt=true", "Str0ng!Pw"),
    "json": ('{"api_key": "abcd1234efgh"}', "abcd1234efgh"),
    "json in a string": (r'"{\"password\": \"hunter2!\"}"', "hunter2!"),
    "environment": ("export DB_PASSWORD=swordfish", "swordfish"),
    "option": ("run it with --password s3same --verbose", "s3same"),
    "short option": ("mysql -u root -phunter22 db", "hunter22"),
    "user option": ("curl -u ana:wonderland9 https://api.x.com", "wonderland9"),
    "xml": ("<password>hunter22</password>", "hunter22"),
    "private key": (PEM.format("BEGIN") + "\n" + BODY + PEM.format("END"), "abcDEF123456789"),
    "private key, cut off": ("here " + PEM.format("BEGIN") + "\n" + BODY, "abcDEF123456789"),
    "private key, beginning lost": (BODY + PEM.format("END"), "MIIEowIBAAKCAQEA7"),
    "private key, line ends written out": (
        '"' + PEM.format("BEGIN") + r"\nMIIEvQIBADANBgkqhkiG\nBKcwggSjAgEAAoIB\n" + PEM.format("END"), "BKcwggSj"),
    "random beside a word": (f"here's my key: {RANDOM[:30]}", RANDOM[:30]),
    "card": ("4111 1111 1111 1111 exp 12/27 cvv 123", "4111 1111 1111 1111"),
    "card, mistyped": ("card for the college is 4929 1188 0032 7745, can you fill it in", "4929 1188 0032 7745"),
    "card, other groups": ("amex 3782-822463-10005", "3782-822463-10005"),
    "expiry beside a card": ("card number 5500005555555559, 11/26, 456", "11/26"),
    "code beside a card": ("card number 5500005555555559, 11/26, 456", "456"),
    "iban": ("pay to DE89 3704 0044 0532 0130 00 please", "DE89 3704 0044 0532 0130 00"),
    "ssn": ("Her SSN (219-09-9999) is on the form", "219-09-9999"),
    "recovery phrase": (f"my seed phrase is {WORDS}", WORDS),
    "recovery phrase, unannounced": ("legal winner thank year wave sausage worth useful legal winner thank yellow",
                                     "legal winner thank year wave sausage"),
    "recovery phrase, numbered": ("words: " + " ".join(f"{n}. {word}" for n, word in enumerate(WORDS.split(), 1)), "accident"),
    "wallet key with checksum": ("5HueCGU8rMjxEXxiPuD5BDku4MkFqeZyd4dZ1jvhTVqvbTLvyTJ", "5HueCGU8rMjx"),
    "wallet key by its name": ("private key 0x" + HEX[:64], HEX[:64]),
}  # fmt: skip

SPOKEN = [
    # English
    ("my wifi password is hunter2 and I love sailing", "hunter2"),
    ("my wifi password is blue monkey 42", "blue monkey 42"),
    ("my password is correct horse battery staple", "correct horse battery staple"),
    ("the pin for my card is 4821", "4821"),
    ("pw: hunter2", "hunter2"),
    ("the password? it's hunter2", "hunter2"),
    ("user admin pass hunter2", "hunter2"),
    ("login: ana / Tr0ub4dor&3", "Tr0ub4dor&3"),
    ("username bob, password swordfish", "swordfish"),
    ("my netflix password is now swordfish", "swordfish"),
    ("I changed my PIN to 9931", "9931"),
    ("changed the alarm code from 4471 to 9920", "4471"),
    ("changed the alarm code from 4471 to 9920", "9920"),
    ("my password used to be Fluffy99 but now it's Rex2024!", "Rex2024"),
    ("gate code 4471#", "4471"),
    ("gate code: four four seven one", "four four seven one"),
    ("the door code is 4 8 2 1", "4 8 2 1"),
    ("code for the garage is 2580", "2580"),
    ("locker combination 12-24-36", "12-24-36"),
    ("the combination to the safe is left 12 right 24 left 8", "24"),
    ("security answer: Fluffy the Third", "Fluffy"),
    ("Your verification code is 123456. Don't share it.", "123456"),
    ("G-583920 is your Google verification code", "583920"),
    ("Use 834920 to log in to Acme", "834920"),
    ("hunter2 is my password", "hunter2"),
    ("Swordfish is our wifi password", "Swordfish"),
    ("use 4471 for the front gate", "4471"),
    ("4471 opens the garage", "4471"),
    ("I use Rosebud1941 as my password everywhere", "Rosebud1941"),
    ('My password is "open sesame please"', "open sesame please"),
    ("My password is ｈｕｎｔｅｒ２２", "ｈｕｎｔｅｒ２２"),
    ("my pin is 4\u200b8\u200b2\u200b1", "4\u200b8\u200b2\u200b1"),
    ("my pass\u200bword is hun\u200bter2", "hun\u200bter2"),
    ("password is h u n t e r 2", "h u n t e r 2"),
    ("PIN for card A is 4821 and for card B 9920", "9920"),
    ("backup codes: 1234-5678, 8765-4321 and 5555-1111", "8765-4321"),
    ("my passwords are: gmail - Apple77x, bank - Pear88y", "Pear88y"),
    ("my PIN is 4821!", "4821"),
    ("the api key for the weather service is " + HEX[:32], HEX[:32]),
    # Spanish
    ("mi contraseña es gatoazul99", "gatoazul99"),
    ("mi contrasen\u0303a es gatoazul99", "gatoazul99"),
    ("la contraseña del wifi es mono azul 42", "mono azul 42"),
    ("mi clave es 4821", "4821"),
    ("el código de la alarma es 4471", "4471"),
    ("el pin de mi tarjeta es cuatro ocho dos uno", "cuatro ocho dos uno"),
    ("cambié mi contraseña a Girasol77", "Girasol77"),
    ("tu código de verificación es 482913", "482913"),
    ("4471 es el código del portal", "4471"),
    ("la respuesta de seguridad es Firulais", "Firulais"),
    ("la combinación de la caja fuerte es 12-34-56", "12-34-56"),
    # German
    ("Das WLAN-Passwort lautet Sommer2024!", "Sommer2024"),
    ("Passwort fürs WLAN: Sonnenblume", "Sonnenblume"),
    ("die PIN meiner EC-Karte ist 4821", "4821"),
    ("der Türcode ist 4471", "4471"),
    ("Ich habe das Passwort auf Tiger77 geändert", "Tiger77"),
    ("Meine Geheimzahl lautet vier acht zwei eins", "vier acht zwei eins"),
    ("Ihr Bestätigungscode lautet 583920", "583920"),
    ("Kennwort: geheim123", "geheim123"),
    ("Antwort auf die Sicherheitsfrage: Bello", "Bello"),
    # French
    ("le mot de passe du wifi c'est soleil bleu 42", "soleil bleu 42"),
    ("mdp: tournesol", "tournesol"),
    ("le code de la porte est le 4471", "4471"),
    ("code de l'immeuble : 12B45", "12B45"),
    ("mon mot de passe Netflix est Popcorn2023!", "Popcorn2023"),
    ("j'ai changé mon mot de passe en Papillon77", "Papillon77"),
    ("le code de ma carte bleue est quatre huit deux un", "quatre huit deux un"),
    ("votre code de vérification est 583920", "583920"),
    ("le mot de passe est « sésame ouvre-toi »", "sésame ouvre-toi"),
    # Japanese
    ("パスワードはhunter2です", "hunter2"),
    ("Wi-Fiのパスワードは青い猿42です", "青い猿42"),
    ("パスワードは「青い空」です", "青い空"),
    ("ﾊﾟｽﾜｰﾄﾞはhunter2です", "hunter2"),
    ("暗証番号は４８２１です。", "４８２１"),
    ("暗証番号はよんはちにいちです", "よんはちにいち"),
    ("4471が玄関の暗証番号です", "4471"),
    ("ドアのコードは4471です", "4471"),
    ("認証コードは123456です", "123456"),
    ("パスワードはhunter2からdragon9に変えました", "dragon9"),
    ("秘密の質問の答えはポチです", "ポチ"),
    # What opens, proves or names somebody, without a word for a secret
    ("the lockbox is left of the door, combo 6038", "6038"),
    ("screen time on the ipad is 8140", "8140"),
    ("the keybox by the meter takes 0451", "0451"),
    ("luggage lock 8-0-8", "8-0-8"),
    ("the laptop unlocks with kestrel.over.the.weir", "kestrel.over.the.weir"),
    ("log in with guest and welcome123", "welcome123"),
    ("router: WIFI:S:Casa;T:WPA;P:plantain-sunday;;", "plantain-sunday"),
    ("for the security questions I said mother's maiden name Kowalczyk and first school Elm Lane", "Kowalczyk"),
    ("for the security questions I said mother's maiden name Kowalczyk and first school Elm Lane", "Elm Lane"),
    ("the setup key was o2w7 onqb 7a2w 6ck4 jqvt bkar fsgk i3g7", "o2w7 onqb 7a2w"),
    ("la taquilla se abre con 0-4-2", "0-4-2"),
    ("la alarma se quita con 4471", "4471"),
    ("mi DNI es 12345678Z", "12345678Z"),
    ("la contra es girasol2020", "girasol2020"),
    ("Kofferschloss 4-1-9", "4-1-9"),
    ("die Alarmanlage schaltet man mit 85213 aus", "85213"),
    ("er heißt dort opa und reinkommen tut er mit Kleingarten1952", "Kleingarten1952"),
    ("meine Steuer-ID ist 86 095 742 719", "86 095 742 719"),
    ("Sozialversicherungsnummer 65 170839 J 008", "65 170839 J 008"),
    ("Sicherheitsfrage: Mädchenname der Mutter Hollerbach", "Hollerbach"),
    ("le coffre s'ouvre avec 17-03-88", "17-03-88"),
    ("mon numéro de sécu : 1 84 05 31 555 012 93", "1 84 05 31 555 012 93"),
    ("pour entrer dans la résidence c'est 48B06", "48B06"),
    ("スマホのロック解除は502846、娘には内緒", "502846"),
    ("マイナンバーは4821 7730 5914なので", "4821 7730 5914"),
    ("秘密の質問は母の旧姓で、答えは佐々木にした", "佐々木"),
    ("金庫は右に12、左に34、右に56", "34"),
]

HARMLESS = """\
the secret to good bread is time
my favourite password manager is 1Password
I forgot my password
I need to change my PIN
the password policy requires 12 characters
my passport expires in 2027
key lime pie is my favorite
the key is to rest
token ring networks are old
fixed in commit 9fceb02d0ae598e95dc970b74767f19372d61af8
sha256 e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855 of the file
my id is 550e8400-e29b-41d4-a716-446655440000
ulid 01ARZ3NDEKTSV4RRFFQ69G5FAV
order number 4000001234567899
call me at +1 415 555 2671
ISBN 978-3-16-148410-0
I live at 4821 Oak Street, San Francisco, CA 94110
my email is ana@example.com
I was born on 12/05/1984, I'm 43 and earn 85000 a year
area code 415
zip code 94110
the dress code is black tie
scan the QR code at the door
country code 49
error code 404
promo code SAVE20
Flight confirmation code ABC123
version 3.11.4 of python
my password is too long
the password was leaked in 2019
my PIN is 4 digits long
the code is 2000 lines long
I changed my password to prevent hacking
the wifi password is on the fridge
my password is the same as my bank password
the wifi password is the dog's name backwards
the door code changes every month
drop a pin on the map at 4821 Oak
boarding pass 1234
ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIJ8nGv4Xl1T9bM7rK2q5nD3vJkLZpQwErTyUiOpAsDfG ana@laptop
my security question is too easy
password = getpass.getpass()
login(user=user, password=password)
export TOKEN=$MY_TOKEN
api_key: YOUR_API_KEY
postgres://localhost:5432/app
postgres://ana@db.example.com:5432/shop is our database
https://ana@dev.example.org:8443/path
mongodb://app@h1.ex.com:27017,h2.ex.com:27017/prod
jdbc:postgresql://ana@db.example.com:5432/shop
ssh://git@gitlab.example.com:2222/team9/Repo.git
see redis://cache:6379 and mail ana@example.com
I've had the same PIN since 1998
my alarm goes off at 0630
1234 is a bad PIN
password123 is the worst password ever
my card ends in 4242
1234 5678 9012 3456 is not valid
tracking number 9400110200881234567890
max_tokens=4096
This is just one more thing that you can add when they ask about people like him
What is the wifi password?
- **Password Management**: Use a reliable tool
1. **Consistency is Key**: try to read every day
la clave del éxito es la constancia
olvidé mi contraseña
mi contraseña es muy larga
¿Cuál es tu contraseña?
código postal 28013
mein Passwort ist zu kurz
ich habe mein Passwort vergessen
Der Schlüssel zum Erfolg ist Geduld
Das Passwort ist abgelaufen
mon mot de passe est trop court
j'ai oublié mon mot de passe
le code de la route est compliqué
パスワードを忘れました
パスワードは12文字以上です
パスワードは定期的に変更しています
暗証番号を変えたい
部屋番号は302です
電話番号は03-1234-5678です
postgres://user:<password>@localhost/db is the sample
the safe is 1200 pounds and took four men to carry
my locker is 214 on the third floor
the garage is 600 square feet
the gate is B12 and boarding is at 1430
front door: 2 coats of paint
the alarm is set for 0630
the suitcase weighs 23 kg, lock included
bike lock cost 45.99 at decathlon
the season opens with 20000 fans in the stadium
the restaurant opens with a 12 course menu
log in with Google and connect your calendar
sign in with Office365 at work
we connected with 350 alumni last night
the game unlocks with level 45
press 1 to unlock the achievement
my maiden name is Kowalczyk and I went to Elm School
The lock screen is 1080 by 2400 pixels
turn off with 5 minutes left
the concert opened with 1979 by the Pumpkins
decrypt with AES-256 please
encrypted with AES256 and ECDSA
die Tür geht mit 90 Grad auf
das Museum öffnet mit 300 Exponaten
der Koffer war 120 Euro
Schloss Neuschwanstein: 1869 begonnen
das Schloss ist 1750 erbaut worden
le coffre est 450 litres
la puerta es 210 cm
el portal es del 1890
el museo abre con 300 obras
la maleta: 2300 gramos
スーツケースは38000円だった
ロッカーは302番です
部屋は302です
駅は800メートル先
commit 7c4a8d09ca3762af61e59520943dc264aaaa9999 added the api token check
the api returned 87c358f83e0df2505432083255428835 as etag
screen time is 240 minutes a day
my screen time was 412 minutes last week
I want to open a restaurant with 40 seats
the vault was opened in 1987
please lock the front door, 2 windows are open
the dial is 42 mm wide
door 4471 in building 12
the trail gate: 3400 feet of climbing
the shed is 2400 euros at the store
open the file with Notepad2024
I called the number on the back 800-555-0148
security questions are silly, mine asks for my first pet
the security question about my first car is stupid
the alarm system is 1200 dollars
portable number is 07700 900123
die Alarmanlage kostet mit 1200 Euro zu viel
Bus 4471 fährt mit 300 Leuten ab
mit 18 ausgezogen, mit 2500 Euro angefangen
iPhone 15 unlocks with FaceID""".splitlines()

# More of both, a line each: the secrets (apart by " || ", none where nothing is told), a tab, the text.
TABLE = (Path(__file__).parent / "cases" / "redaction.tsv").read_text("utf-8")
CASES = [(secrets, text) for secrets, text in (line.split("\t") for line in TABLE.splitlines())]

ANSWERS = [
    ("what's the gate code?", "4471", "4471"),
    ("what's the gate code?", "sure, it's four four seven one", "four four seven one"),
    ("What's the wifi password?", "blue monkey 42", "blue monkey 42"),
    ("What's the wifi password? I can't find it.", "It's Moonlight", "Moonlight"),
    ("Do you remember the alarm code?", "yes, 7733", "7733"),
    ("Please enter the verification code we sent you", "482913", "482913"),
    ("wifi password?", "swordfish", "swordfish"),
    ("the wifi password is", "hunter2", "hunter2"),
    ("I changed the alarm code yesterday", "it's 4471 now", "4471"),
    ("what was the combination again", "12, then 24, then 8", "12, then 24, then 8"),
    ("¿Cuál es la contraseña del wifi?", "mono azul", "mono azul"),
    ("¿Cuál es el código de la alarma?", "cuatro cuatro siete uno", "cuatro cuatro siete uno"),
    ("Wie lautet das WLAN-Passwort?", "Sonnenblume", "Sonnenblume"),
    ("Was ist der Türcode?", "4471", "4471"),
    ("Quel est le code de la porte ?", "quatre quatre sept un", "quatre quatre sept un"),
    ("C'est quoi le mot de passe du wifi ?", "c'est soleilbleu", "soleilbleu"),
    ("Wi-Fiのパスワードは何ですか？", "青い猿です", "青い猿"),
    ("ドアのコードは？", "よんよんなないち", "よんよんなないち"),
]

NO_ANSWERS = [
    ("what's the gate code?", "I forgot"),
    ("what's the gate code?", "no idea"),
    ("what's the wifi password?", "I don't know, ask Tom"),
    ("what's the wifi password?", "It's on the fridge"),
    ("how many characters does the password need?", "12"),
    ("When did you change the PIN?", "2019"),
    ("what's the dress code?", "black tie"),
    ("What's your zip code?", "94110"),
    ("did you change your password?", "yesterday evening"),
    ("what's the key to success?", "hard work"),
    ("What's for dinner?", "blue monkey 42"),
    ("where do you live?", "4471 Oak Street"),
    ("¿Cuál es la contraseña?", "no me acuerdo"),
    ("Wie lautet das Passwort?", "keine Ahnung"),
    ("C'est quoi le mot de passe ?", "je sais pas"),
    ("パスワードは何ですか？", "忘れました"),
]


def pieces_left(secret: str, text: str) -> list[str]:
    """What of `secret`, in stretches of six characters (or whole, if shorter), is still in `text`."""
    return [secret[at : at + 6] for at in range(max(1, len(secret) - 5)) if secret[at : at + 6] in text]


@pytest.mark.parametrize(("text", "secret"), FORMATS.values(), ids=FORMATS)
def test_what_shows_that_it_is_a_secret_is_redacted(text: str, secret: str) -> None:
    found = redact(text)
    assert not pieces_left(secret, found.text)
    assert found.kinds


@pytest.mark.parametrize(("text", "secret"), SPOKEN)
def test_what_people_say_is_a_secret_is_redacted(text: str, secret: str) -> None:
    assert not pieces_left(secret, redact(text).text)


@pytest.mark.parametrize("text", HARMLESS)
def test_what_only_speaks_of_secrets_or_looks_like_one_stays(text: str) -> None:
    assert redact(text).text == text


@pytest.mark.parametrize(("secrets", "text"), CASES)
def test_what_is_in_the_table_is_redacted_or_left_alone(secrets: str, text: str) -> None:
    left = redact(text).text
    assert left == text if not secrets else not [secret for secret in secrets.split(" || ") if secret in left]


@pytest.mark.parametrize(("before", "text", "secret"), ANSWERS)
def test_an_answer_to_a_question_for_a_secret_is_redacted(before: str, text: str, secret: str) -> None:
    assert not pieces_left(secret, redact(text, before).text)
    assert redact(text).text == text


@pytest.mark.parametrize(("before", "text"), NO_ANSWERS)
def test_an_answer_that_gives_no_secret_stays(before: str, text: str) -> None:
    assert redact(text, before).text == text


@pytest.mark.parametrize(("text", "redacted"), [
    ("my wifi password is hunter2 and I love sailing", "my wifi password is [redacted:password] and I love sailing"),
    ("postgres://ana:pw99pw99@db.example.com/shop", "postgres://ana:[redacted:password]@db.example.com/shop"),
    ("postgres://ana:S3cr3t Pw9@host:5432/db", "postgres://ana:[redacted:password]@host:5432/db"),
    ("mongodb+srv://app:my dog Rex 9@c0.mongodb.net/prod", "mongodb+srv://app:[redacted:password]@c0.mongodb.net/prod"),
    ("PIN 4821, IBAN GB82WEST12345698765432.", "PIN [redacted:pin], IBAN [redacted:iban]."),
    ("ﬁrst: my pin is ４８２１、ok", "ﬁrst: my pin is [redacted:pin]、ok"),
])  # fmt: skip
def test_everything_around_a_secret_stays_as_it_was(text: str, redacted: str) -> None:
    assert redact(text).text == redacted


def test_kinds_are_told_once_each_in_the_order_of_their_places() -> None:
    found = redact("PIN 4821, wifi password: hunter2, PIN 9931")
    assert found.kinds == ("pin", "password")


@pytest.mark.parametrize("text", [
    "AKIA" + "IOSFODNN7EXAMPLE", PEM.format("BEGIN") + "\n" + BODY + PEM.format("END"), "my password is hunter2", "pw: hunter2",
    "remember that my PIN is 4821", "4111 1111 1111 1111 exp 12/27 cvv 123", f"OPENAI_API_KEY=sk-proj-{RANDOM[:40]}",
    "mi contraseña es gatoazul99", "mein Passwort ist blaueraffe42", "mon mot de passe est chatbleu99", "パスワードはhunter2です",
])  # fmt: skip
def test_a_text_that_only_tells_a_secret_is_known(text: str) -> None:
    assert redact(text).only_secret


@pytest.mark.parametrize("text", [
    "my wifi password is hunter2 and I love sailing", "my name is Ana and my password is hunter2", "I forgot my password", "",
    "postgres://ana:pw99pw99@db.example.com/shop", "パスワードはhunter2で、猫が好きです", "mi clave es 4821 y me gusta el mar",
])  # fmt: skip
def test_a_text_that_tells_more_is_no_mere_secret(text: str) -> None:
    assert not redact(text).only_secret


FRAMES = [
    "my wifi password is {} and I love sailing", "Password: {}", "the password for the shared drive is {}", "DB_PASSWORD={}",
    'config = {{"password": "{}"}}', "my password, by the way, is {}", "I changed my password to {}", "pw {}",
    "la contraseña es {}", "das Passwort lautet {}", "mon mot de passe est {}", "パスワードは{}です", "{} is my password",
]  # fmt: skip
MADE_UP = st.from_regex(r"[a-z]{2,8}[0-9]{2,4}[A-Za-z0-9@#%&+_-]{2,300}[a-z0-9]", fullmatch=True)


@settings(deadline=None)
@given(frame=st.sampled_from(FRAMES), secret=MADE_UP)
@example(frame="Password: {}", secret="os00000")
def test_no_piece_of_a_made_up_password_remains(frame: str, secret: str) -> None:
    frame_alone = frame.format("")
    assert not [piece for piece in pieces_left(secret, redact(frame.format(secret)).text) if piece not in frame_alone]


@settings(deadline=None)
@given(prefix=st.sampled_from(["ghp_", "sk-ant-api03-", "sk_live_", "glpat-", "npm_", "AIza", "xoxb-12-34-"]),
       secret=st.from_regex(r"[A-Za-z]{4}[0-9]{4}[A-Za-z0-9]{28,400}", fullmatch=True))  # fmt: skip
def test_no_piece_of_a_token_remains_however_long_it_is(prefix: str, secret: str) -> None:
    assert not pieces_left(secret, redact(f"use {prefix}{secret}, thanks").text)


FRAGMENTS = [
    *(text for text, _ in SPOKEN), *(text for _, text in CASES), *HARMLESS, *(text for text, _ in FORMATS.values()), "is", ":", "=", "?", "and", "'s", "my password",
    "the PIN", "gate code", "パスワードは", "です", "4821", "hunter2", "[redacted:pin]", "[redacted:", "\u200b", "“", '"', "(", ")", "->",
]  # fmt: skip
TEXTS = st.builds(
    lambda parts, glue: glue.join(parts), st.lists(st.sampled_from(FRAGMENTS), max_size=8), st.sampled_from([" ", "", "\n"])
)


@settings(deadline=None)
@given(text=TEXTS | st.text(max_size=60), before=st.none() | st.sampled_from([question for question, _, _ in ANSWERS]))
@example(text="my pin is [redacted:pin] and 9931", before=None)
def test_redacting_again_changes_nothing(text: str, before: str | None) -> None:
    once = redact(text, before)
    again = redact(once.text, before)
    assert (again.text, again.kinds, again.only_secret) == (once.text, (), once.only_secret)


@settings(deadline=None)
@given(text=TEXTS)
def test_what_is_not_redacted_is_in_the_text_in_the_same_order(text: str) -> None:
    at = 0
    for piece in re.split(r"\[redacted:[a-z_]+\]", redact(text.replace("[redacted:", "[")).text):
        found = text.replace("[redacted:", "[").find(piece, at)
        assert found >= at
        at = found + len(piece)


@pytest.mark.parametrize("unit", [
    "a", "1 ", "12", "pin is ", "pin=", "password: \n", "my password is hunter2 ", "code for the ", "://a:", "eyJ", "sk-", "uno", "\n", " ",
    "-----BEGIN PRIVATE KEY-----\n+", 'password="\\a', "login a ", "パスワードは", "1、", "\u200b", "ﷺ", "4111 1111 1111 1112 ", "what is the code? ",
    "lock is ", "log in with a ", "wifi:s;", "a:1:b:c:", "with ab and pass ", "a2b3 ", "security question first pet ", "123456-", "右に1", "wifi: A / b ", "key safe, 27 opens it ", "r1 l2 ", "type abcdef1 to ", "the pw for a is b1cd and for ",
    "the netflix one is ", "a1b2c3, my pin ", "opens with 1 2 3 ", "its a and b ", "pasword ", 'x "Password: ", ', "Wi-Fiはab、cd ", "got 4471 ", "texted me 4471 type it ", "backup codes: ", "backup codes: ab1c-de2f, ", "1 left ", "safe left to 1 then ", "seven ",
    "alarm seven two oh five ", "kind: Secret data: a: bbbb ", "echo abc | ", "unzip -P ", "snmpwalk -c -c ", "sicherheitsfrage hab ich ", "wifi at home ",
    "alarm oben ", "tu tapes 4431 et ", "ookie: a=b1; ", "key box, 4431 ", "a@b.co and then ",
])  # fmt: skip
def test_time_stays_linear_in_whatever_is_repeated(unit: str) -> None:
    def seconds(length: int) -> float:
        text = unit * (length // len(unit))  # whole ones: what a cut leaves at the end may be found, and all read again
        start = time.process_time()
        redact(text, text)
        return time.process_time() - start

    redact(unit)
    # Quadratic would be sixteen times as long, exponential would not come back. One of three has to be so quick: the
    # machine may be at something else.
    most = 0.05 + 8 * min(seconds(4_000) for _ in range(3))
    assert any(seconds(16_000) < most for _ in range(3))


def test_an_ordinary_sentence_costs_next_to_nothing() -> None:
    text = "I went hiking with my sister in the Alps last weekend and we saw three marmots near the old hut."
    redact(text)
    start = time.process_time()
    for _ in range(200):
        redact(text)
    assert (time.process_time() - start) / 200 < 0.005


SCHEMES = ["postgres", "postgresql+psycopg2", "mysql", "mongodb+srv", "redis", "amqps", "ftp", "ssh", "http", "https", "smtp"]
HOSTS = [
    "db.example.com:5432/shop", "db:5432/shop", "localhost/app", "10.0.0.5:6379/0", "[::1]:5432/shop", "db.example.com:5432",
    "db.example.com:27017/prod?retryWrites=true&w=majority", "h1.example.com:27017,h2.example.com:27017/prod?replicaSet=rs0",
    "key.example.com:5432/token_store", "password-db.example.com/passwords", "auth.example.com:8443/login/page",
]  # fmt: skip


@pytest.mark.parametrize("scheme", SCHEMES)
@pytest.mark.parametrize("host", HOSTS)
def test_of_an_address_only_the_credentials_are_replaced(scheme: str, host: str) -> None:
    for frame in ("{}", "Use {} for the shop.", "DATABASE_URL={}", 'db_url: "{}"', "My connection string is {}"):
        for user in ("user", "", "key", "token", "pw", "me%40x.org", "user@x.org"):
            for password in ("pw", "hunter2", "s3cr3t!Pass", "T0k3n-x.y", "1234"):
                redacted = redact(frame.format(f"{scheme}://{user}:{password}@{host}")).text
                assert redacted == frame.format(f"{scheme}://{user}:[redacted:password]@{host}")


def test_what_an_address_holds_behind_its_host_is_still_looked_at() -> None:
    token = "ghp_" + RANDOM[:36]
    for text in (
        "postgres://ana:hunter2@db.example.com/shop?sslpassword=t0psecret9", f"https://ana:hunter2@example.com/{token}",
        "postgres://ana:hunter2@db.example.com:5432/shop and my PIN is 4471",
    ):  # fmt: skip
        redacted = redact(text).text
        assert not any(secret in redacted for secret in ("hunter2", "t0psecret9", RANDOM[:36], "4471"))


def test_a_webhook_alone_is_only_a_secret() -> None:
    hook = f"https://hooks.slack.com/services/T00000000/B00000000/{'X' * 24}"
    assert redact(hook).only_secret
    assert redact(f"our hook is {hook} ok").text == "our hook is [redacted:webhook] ok"
