"""Keys in their one form, and what a key tells of the value beside it."""

from datetime import UTC

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic_core import PydanticCustomError

from commonplace.contract.validate import check, redaction_under_key, validate
from commonplace.domain.errors import CommonplaceError, ErrorCode
from commonplace.domain.requests import NormalizeRequest
from commonplace.domain.storage import DeleteRequest, WriteRequest, normal_key

FACT = {"category": "preference", "durability": "durable"}


def refusal(key: object) -> CommonplaceError:
    with pytest.raises(CommonplaceError) as caught:
        check(DeleteRequest, {"key": key})
    return caught.value


@pytest.mark.parametrize(
    ("given", "kept"),
    [
        ("role", "role"), ("Interested_In_Rust", "interested_in_rust"), ("node.js-version", "node.js-version"),
        ("ＲＯＬＥ", "role"), ("Größe", "größe"), ("E\u0301tude", "étude"), ("年齢", "年齢"), ("x" * 64, "x" * 64), ("ﬁ", "fi"),
    ],
)  # fmt: skip
def test_a_key_has_one_form(given: str, kept: str) -> None:
    assert check(DeleteRequest, {"key": given}).key == kept


@pytest.mark.parametrize("key", ["", " ", "two words", "a/b", "a:b", "x" * 65, "key\n", "role ", "\x00", "😀", 7, ["a"]])
def test_everything_else_is_refused_and_the_field_is_named(key: object) -> None:
    error = refusal(key)
    assert (error.code, error.field) == (ErrorCode.INVALID_ARGUMENT, "key")


@given(st.text("aZ09_.-éßＡﬁ年İ", min_size=1, max_size=64))
def test_the_form_of_a_form_is_itself(text: str) -> None:
    try:
        key = normal_key(text)
    except PydanticCustomError:
        return
    assert normal_key(key) == key


@pytest.mark.parametrize(
    ("key", "value"),
    [("gate_code", "4471"), ("wifi", "Sonne1234"), ("password", "correct horse battery staple"), ("api_key", "abcdEFGH1234ijkl5678")],
)  # fmt: skip
def test_a_secret_is_known_by_its_key(key: str, value: str) -> None:
    with pytest.raises(CommonplaceError) as caught:
        validate(WriteRequest, {"key": key, "value": value, **FACT}, None)
    assert (caught.value.code, caught.value.field) == (ErrorCode.SECRET_ONLY, "value")
    assert value not in caught.value.message


@pytest.mark.parametrize(
    "key",
    ["secret", "secrets", "credentials", "client_secrets", "apiKeys", "db.secrets", "secrets db", "team credentials mail"],
)
def test_a_made_up_word_is_a_secret_under_every_name_for_one(key: str) -> None:
    found = redaction_under_key("hunter2-blue", key)
    assert (found.text, found.kinds, found.only_secret) == ("[redacted:api_key]", ("api_key",), True)


@pytest.mark.parametrize(("key", "value"), [("WiFi", "Sonne1234"), ("backupCodes", "8841-2207"), ("homeGateCode", "4471")])
def test_a_name_is_read_as_one_word_and_as_its_parts(key: str, value: str) -> None:
    assert value not in redaction_under_key(value, key).text
    with pytest.raises(CommonplaceError) as caught:
        validate(WriteRequest, {"key": key, "value": value, **FACT}, None)
    assert caught.value.code is ErrorCode.SECRET_ONLY


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("tokens pin", "4471"), ("tokens github", "12345678"), ("tokens bank password", "123456"), ("backup_tokens", "88412207"),
        ("recoveryTokens", "884122"), ("tokens new", "884122"), ("pin_changed", "4471"), ("pin", "4471"), ("pin number", "4471"),
        ("token expires in password", "123456"), ("secrets db", "$ecret12"), ("secrets db", "2024-05-01hunter2"),
    ],
)  # fmt: skip
def test_a_number_under_such_names_is_a_secret_unless_it_counts_or_dates(key: str, value: str) -> None:
    assert value not in redaction_under_key(value, key).text


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("secret", "Nobody knows that Ana paints."), ("secret", "tangerine"), ("max_tokens", "4096"), ("keys", "hunter2-blue"),
        ("seeds tomato", "Roma-2"), ("public_key", "ab12-cd34"), ("secrets url", "${VAULT_URL}"), ("secretary", "ana-2"),
        ("secrets rotated", "2024-05-01"), ("credentials mail", "ana@example.com"), ("usage.input_tokens", "120"),
        ("tokens", "512"), ("llm tokens_in", "120"), ("tokenExpiresIn", "3600"), ("passwordMinLength", "12"),
        ("passwordUpdatedAt", "2024-05-01T10:00:00Z"), ("pin attempts", "3"), ("credentials username", "ana92"),
        ("credentials.region", "eu-west-1"), ("apiKeys name", "mobile-app2"), ("credentials public_key", "ab12-cd34"),
        ("seed", "Roma-2"), ("pinLabel", "GPIO-17"), ("signature", "v1-abc"),
    ],
)  # fmt: skip
def test_what_looks_like_no_secret_stays_under_such_a_name(key: str, value: str) -> None:
    assert redaction_under_key(value, key).text == value


def test_what_is_no_secret_beside_one_is_kept() -> None:
    request, kinds = validate(WriteRequest, {"key": "login", "value": "ana / Tiger99!", **FACT}, None)
    assert (request.value, kinds) == ("ana / [redacted:password]", ["password"])


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("role", "The user is a senior engineer at Acme."), ("age", "43"), ("password_manager", "The user uses Bitwarden."),
        ("dress_code", "smart casual"), ("zip_code", "10115"), ("token_budget", "4000 a day"),
    ],
)  # fmt: skip
def test_a_value_that_only_stands_beside_such_a_word_is_kept(key: str, value: str) -> None:
    request, kinds = validate(WriteRequest, {"key": key, "value": value, **FACT}, None)
    assert (request.value, kinds) == (value, [])


def test_a_key_that_is_a_secret_is_refused() -> None:
    key = "ghp_" + "abcdefghijklmnopqrstuvwxyz0123456789"
    with pytest.raises(CommonplaceError) as caught:
        validate(WriteRequest, {"key": key, "value": "The user likes tea.", **FACT}, None)
    assert (caught.value.code, caught.value.field) == (ErrorCode.SECRET_ONLY, "key")
    assert key not in caught.value.message


@pytest.mark.parametrize("empty", ["", None])
@pytest.mark.parametrize(
    ("field", "value"), [("key", "k4"), ("memory_id", "k5"), ("memory_id", "mem_01KS2D7V80NCCNV0FB40PFFF6Z")]
)
def test_an_empty_id_beside_another_field_says_nothing(field: str, value: str, empty: object) -> None:
    alone = check(DeleteRequest, {field: value})
    assert check(DeleteRequest, {field: value, "id": empty}) == alone


@pytest.mark.parametrize("given", [{"id": ""}, {"id": None}, {"id": "", "key": ""}])
def test_no_name_is_refused(given: dict[str, object]) -> None:
    with pytest.raises(CommonplaceError) as caught:
        check(DeleteRequest, given)
    assert caught.value.code.status == 400


def test_the_context_of_a_text_shows_that_it_is_a_secret() -> None:
    asked = {"text": "4471", "context": "What is your PIN?"}
    with pytest.raises(CommonplaceError) as caught:
        validate(NormalizeRequest, asked, UTC)
    assert (caught.value.code, caught.value.field) == (ErrorCode.SECRET_ONLY, "text")
    request, kinds = validate(NormalizeRequest, {**asked, "context": "How many steps did you walk?"}, UTC)
    assert (request.text, kinds) == ("4471", [])
