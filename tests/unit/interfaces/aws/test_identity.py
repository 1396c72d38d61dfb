"""Who a caller is, by what the way in guards."""

from datetime import UTC
from typing import Any

import pytest

from commonplace.domain.errors import CommonplaceError, ErrorCode
from commonplace.interfaces.aws import identity

ISSUER = "https://idp.example"
ROLE = "arn:aws:iam::111122223333:role/backend"
ACT_AS = identity.ACT_AS


def claims(sub: str = "ana", **more: Any) -> dict[str, Any]:
    return {"iss": ISSUER, "sub": sub, **more}


def refused(code: ErrorCode, *call: Any) -> CommonplaceError:
    function, *given = call
    with pytest.raises(CommonplaceError) as caught:
        function(*given)
    assert caught.value.code is code
    return caught.value


def test_a_token_is_its_issuer_and_subject() -> None:
    assert identity.of_claims(claims(), None) == f"{ISSUER}|ana"
    assert identity.of_claims(claims("auth0|7"), None) == f"{ISSUER}|auth0|7"


@pytest.mark.parametrize("scope", [f"openid {ACT_AS}", f"[openid {ACT_AS}]", ["openid", ACT_AS]], ids=str)
@pytest.mark.parametrize("claim", ["scope", "scp"])
def test_a_backend_with_the_scope_names_its_user(scope: Any, claim: str) -> None:
    assert identity.of_claims(claims("backend", **{claim: scope}), "bo") == f"{ISSUER}#backend|bo"
    assert identity.of_claims(claims("backend", **{claim: scope}), None) == f"{ISSUER}|backend"


@pytest.mark.parametrize("scope", ["", "openid", f"not-{ACT_AS}", f"{ACT_AS}-not", "commonplace act-as"])
def test_without_the_scope_nobody_else_is_named(scope: str) -> None:
    assert refused(ErrorCode.FORBIDDEN, identity.of_claims, claims(scope=scope), "bo").field == identity.USER


@pytest.mark.parametrize(
    "given",
    [{}, {"iss": ISSUER}, {"sub": "ana"}, {"iss": "", "sub": "ana"}, {"iss": ISSUER, "sub": ""}, {"iss": "a|b", "sub": "c"}],
)
def test_a_token_of_nobody_is_refused(given: dict[str, str]) -> None:
    refused(ErrorCode.UNAUTHORIZED, identity.of_claims, given, None)


def test_no_name_reaches_into_another_backend() -> None:
    """Backend `a` with the name `b|c`, and backend `a|b` with the name `c`, are two users, and neither is a token's own."""
    scope = {"scope": ACT_AS}
    ids = {
        identity.of_claims(claims("a", **scope), "b|c"),
        identity.of_claims(claims("a|b", **scope), "c"),
        identity.of_claims(claims("a%7Cb", **scope), "c"),
        identity.of_claims(claims("a|b|c"), None),
        identity.of_claims(claims("#a|b|c"), None),
        identity.of_backend("direct", "a|b|c"),
    }
    assert len(ids) == 6


def test_a_role_is_the_same_in_every_session() -> None:
    sessions = [f"arn:aws:sts::111122223333:assumed-role/backend/{name}" for name in ("one", "two")]
    assert {identity.of_role(arn, "ana") for arn in (*sessions, ROLE)} == {f"{ROLE}|ana"}
    user = "arn:aws:iam::111122223333:user/bo"
    assert identity.of_role(user, "ana") == f"{user}|ana"
    assert identity.of_role("arn:aws-cn:sts::1:assumed-role/b/s", "ana") == "arn:aws-cn:iam::1:role/b|ana"


def test_a_role_must_name_its_user() -> None:
    error = refused(ErrorCode.MISSING_FIELD, identity.of_role, ROLE, None)
    assert (error.code.status, error.field) == (400, identity.USER)


@pytest.mark.parametrize("name", ["", "  ", "a\nb", "a\x00", "\ud800", "x" * 513], ids=repr)
def test_a_name_must_be_one(name: str) -> None:
    assert refused(ErrorCode.INVALID_ARGUMENT, identity.of_backend, "direct", name).field == identity.USER


def test_a_gateway_gives_the_whole_id() -> None:
    assert identity.of_gateway(f"{ISSUER}|ana") == f"{ISSUER}|ana"
    for given in ("ana", "direct|ana", "|ana", "usage#https://idp.example|ana"):
        refused(ErrorCode.UNAUTHORIZED, identity.of_gateway, given)
    refused(ErrorCode.INVALID_ARGUMENT, identity.of_gateway, f"{ISSUER}|")


def test_a_header_is_found_in_any_case_and_once() -> None:
    assert identity.header({"x-commonplace-USER": "ana"}, identity.USER) == "ana"
    assert identity.header({"other": "ana"}, identity.USER) is identity.header(None, identity.USER) is None
    twice = {"X-Commonplace-User": "ana", "x-commonplace-user": "bo"}
    refused(ErrorCode.INVALID_ARGUMENT, identity.header, twice, identity.USER)


def test_the_zone_is_utc_unless_it_is_named() -> None:
    assert identity.zone_named(None) is UTC
    assert str(identity.zone_named("Asia/Tokyo")) == "Asia/Tokyo"


@pytest.mark.parametrize("name", ["", "Europe", "Mars/Olympus", "../etc/passwd", "/etc/passwd", "Europe/Berlin\x00"])
def test_a_zone_that_is_none_is_named(name: str) -> None:
    assert refused(ErrorCode.INVALID_ARGUMENT, identity.zone_named, name).field == identity.TIMEZONE
