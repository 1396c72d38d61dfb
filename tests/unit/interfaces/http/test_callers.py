import pytest

from commonplace.domain.errors import CommonplaceError
from commonplace.interfaces.http.callers import check_caller, loopback, names_of, url_of


@pytest.mark.parametrize("host", ["0.0.0.0", "192.168.1.5", "::", "", "example.org", "127.0.0.2", "0", "[::]"])
def test_without_tokens_only_the_loopback_and_what_to_do_is_told(host: str) -> None:
    with pytest.raises(CommonplaceError, match="--tokens") as refused:
        loopback(host)
    assert refused.value.field == "host"


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "[::]", "", "::0"])
def test_every_address_needs_a_name(host: str) -> None:
    with pytest.raises(CommonplaceError, match="--allow-host"):
        names_of(host, ())
    assert names_of(host, ("Memory.example.org",)) == ("memory.example.org",)


@pytest.mark.parametrize(("host", "name"), [("192.168.1.5", "192.168.1.5"), ("FE80::1", "[fe80::1]"), ("nas", "nas")])
def test_an_address_is_a_name_of_its_own(host: str, name: str) -> None:
    assert names_of(host, ()) == (name,)
    assert names_of(host, ("nas.lan:8443",)) == ("nas.lan:8443", name)


@pytest.mark.parametrize(
    ("host", "bound", "allowed", "url"),
    [
        ("127.0.0.1", "127.0.0.1", (), "http://127.0.0.1:8787"),
        ("localhost", "127.0.0.1", ("memory.example.org",), "http://127.0.0.1:8787"),
        ("nas.lan", "192.168.1.5", (), "http://192.168.1.5:8787"),
        ("nas.lan", "fe80::1", (), "http://[fe80::1]:8787"),
        ("0.0.0.0", "0.0.0.0", ("nas.lan",), "http://nas.lan:8787"),
        ("0.0.0.0", "0.0.0.0", ("nas.lan:443", "192.168.1.5"), "http://192.168.1.5:8787"),
        ("0.0.0.0", "0.0.0.0", ("nas.lan:443",), "http://127.0.0.1:8787"),
        ("::", "::", ("[fe80::1]:443",), "http://[::1]:8787"),
    ],
)
def test_the_address_that_is_told_is_one_that_is_answered(host: str, bound: str, allowed: tuple[str, ...], url: str) -> None:
    names = names_of(host, allowed, bound)
    assert url_of(bound, 8787, names) == url
    check_caller(url.removeprefix("http://"), url, "same-origin", 8787, names)


@pytest.mark.parametrize("name", ["", "*", "https://nas.lan", "nas.lan/", "nas lan", "nas.lan:port", "user@nas", ".", "nas."])
def test_what_is_no_name_is_refused(name: str) -> None:
    with pytest.raises(CommonplaceError) as refused:
        names_of("0.0.0.0", (name,))
    assert refused.value.field == "allow_host"


@pytest.mark.parametrize("host", ["nas.lan", "NAS.lan", "nas.lan:8787", "nas.lan:8443", "localhost:8787"])
def test_the_names_that_were_allowed_are_answered(host: str) -> None:
    check_caller(host, None, None, 8787, ("nas.lan", "nas.lan:8443"))


@pytest.mark.parametrize("host", ["evil.example", "nas.lan:80", "x.nas.lan", "nas.lan.evil.example", "", None])
def test_other_names_are_not(host: str | None) -> None:
    with pytest.raises(CommonplaceError, match="--allow-host"):
        check_caller(host, None, None, 8787, ("nas.lan",))


@pytest.mark.parametrize("origin", ["https://nas.lan", "http://nas.lan:8787", "http://localhost:8787"])
def test_a_page_of_its_own_name_may_ask(origin: str) -> None:
    check_caller("nas.lan", origin, "same-origin", 8787, ("nas.lan",))


@pytest.mark.parametrize("origin", ["https://evil.example", "https://nas.lan:1", "https://localhost", "null"])
def test_other_pages_may_not(origin: str) -> None:
    with pytest.raises(CommonplaceError, match="web pages"):
        check_caller("nas.lan", origin, None, 8787, ("nas.lan",))
