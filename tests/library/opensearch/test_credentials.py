"""Credentials: where they come from, and that nobody reads them."""

import base64

import pytest

from likewise.errors import LibraryError
from likewise.library.opensearch import credentials as module
from likewise.library.opensearch.address import Host
from likewise.library.opensearch.credentials import Credentials, find_credentials, join_credentials

HOST = Host("search.example.org", 9200)
DOMAIN = Host("search-papers-x1y2.eu-west-3.es.amazonaws.com", 443)


@pytest.fixture(autouse=True)
def nothing_is_set(monkeypatch, tmp_path):
    for name in (module.USER, module.PASSWORD, module.API_KEY, module.HOSTS, "NETRC"):
        monkeypatch.delenv(name, raising=False)
    for name in (
        "AWS_PROFILE",
        "AWS_ACCESS_KEY_ID",
        "AWS_SECRET_ACCESS_KEY",
        "AWS_SESSION_TOKEN",
        "AWS_REGION",
    ):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("AWS_EC2_METADATA_DISABLED", "true")


def write_netrc(folder, text, *, name=".netrc"):
    path = folder / name
    path.write_text(text)
    path.chmod(0o600)
    return path


def basic(user_and_password):
    return "Basic " + base64.b64encode(user_and_password.encode()).decode()


def test_without_any_nothing_is_told():
    assert find_credentials(HOST) == Credentials()


def test_user_and_password_come_from_the_environment(monkeypatch):
    monkeypatch.setenv(module.USER, "reader")
    monkeypatch.setenv(module.PASSWORD, "pässword: with a colon")
    assert find_credentials(HOST).authorization == basic("reader:pässword: with a colon")


@pytest.mark.parametrize("lacking", [module.USER, module.PASSWORD])
def test_a_user_without_a_password_is_refused_and_the_reverse(monkeypatch, lacking):
    monkeypatch.setenv(module.USER, "reader")
    monkeypatch.setenv(module.PASSWORD, "s3cret")
    monkeypatch.delenv(lacking)
    with pytest.raises(LibraryError, match="needed together") as caught:
        find_credentials(HOST)
    assert "s3cret" not in str(caught.value)


def test_an_api_key_is_sent_as_it_is(monkeypatch):
    monkeypatch.setenv(module.API_KEY, "VnVhQ2ZHY0JDZGJrUW0tZTVhT3g6dWk=\n")
    assert find_credentials(HOST).authorization == "ApiKey VnVhQ2ZHY0JDZGJrUW0tZTVhT3g6dWk="


def test_an_api_key_and_its_id_are_encoded_together(monkeypatch):
    monkeypatch.setenv(module.API_KEY, "the-id:the-key")
    sent = base64.b64encode(b"the-id:the-key").decode()
    assert find_credentials(HOST).authorization == f"ApiKey {sent}"


def test_an_api_key_that_no_header_can_hold_is_refused_without_repeating_it(monkeypatch):
    monkeypatch.setenv(module.API_KEY, "s3cret\nx: y")
    with pytest.raises(LibraryError, match=r"API_KEY is not an API key") as caught:
        find_credentials(HOST)
    assert "s3cret" not in str(caught.value)


def test_an_api_key_beside_a_user_is_refused(monkeypatch):
    monkeypatch.setenv(module.API_KEY, "key")
    monkeypatch.setenv(module.USER, "reader")
    with pytest.raises(LibraryError, match="both set"):
        find_credentials(HOST)


@pytest.mark.parametrize(
    "named", ["search.example.org", "Search.Example.org:9200", "a, search.example.org"]
)
def test_the_environments_are_for_the_hosts_that_it_names(monkeypatch, named):
    monkeypatch.setenv(module.API_KEY, "key")
    monkeypatch.setenv(module.HOSTS, named)
    assert find_credentials(HOST).authorization == "ApiKey key"


@pytest.mark.parametrize("named", ["example.org", "search.example.org:443", "xsearch.example.org"])
def test_no_other_host_is_told_the_environments(monkeypatch, named):
    monkeypatch.setenv(module.API_KEY, "key")
    monkeypatch.setenv(module.HOSTS, named)
    assert find_credentials(HOST) == Credentials()


def test_a_host_of_the_new_kind_can_be_named(monkeypatch):
    monkeypatch.setenv(module.API_KEY, "key")
    monkeypatch.setenv(module.HOSTS, "[::1]:9200")
    assert find_credentials(Host("::1", 9200)).authorization == "ApiKey key"


def test_netrc_is_for_the_hosts_that_the_environments_are_not_for(monkeypatch, tmp_path):
    write_netrc(tmp_path, "machine search.example.org login reader password s3cret\n")
    monkeypatch.setenv(module.API_KEY, "key")
    monkeypatch.setenv(module.HOSTS, "else.example.org")
    assert find_credentials(HOST).authorization == basic("reader:s3cret")


def test_netrc_knows_the_host(tmp_path):
    write_netrc(tmp_path, "machine search.example.org login reader password s3cret\n")
    assert find_credentials(HOST).authorization == basic("reader:s3cret")


@pytest.mark.parametrize(("mode", "times"), [(0o644, 1), (0o640, 1), (0o600, 0)])
def test_a_netrc_that_others_can_read_is_warned_of(tmp_path, caplog, mode, times):
    path = write_netrc(tmp_path, "machine search.example.org login reader password s3cret\n")
    path.chmod(mode)
    find_credentials(HOST)
    assert caplog.text.count("others can read the passwords") == times
    assert "s3cret" not in caplog.text


def test_the_variable_says_where_netrc_is(monkeypatch, tmp_path):
    write_netrc(tmp_path, "machine search.example.org login wrong password wrong\n")
    other = write_netrc(tmp_path, "machine search.example.org login a password b\n", name="mine")
    monkeypatch.setenv("NETRC", str(other))
    assert find_credentials(HOST).authorization == basic("a:b")


def test_the_environment_comes_before_netrc(monkeypatch, tmp_path):
    write_netrc(tmp_path, "machine search.example.org login wrong password wrong\n")
    monkeypatch.setenv(module.API_KEY, "key")
    assert find_credentials(HOST).authorization == "ApiKey key"


def test_entries_for_others_are_not_sent(tmp_path):
    write_netrc(tmp_path, "machine else.example.org login a password b\ndefault login c password d")
    assert find_credentials(HOST) == Credentials()


def test_a_broken_netrc_is_named_by_line_without_what_stands_there(monkeypatch, tmp_path):
    path = write_netrc(tmp_path, "machine search.example.org login a password b\n\ns3cret x\n")
    monkeypatch.setenv("NETRC", str(path))
    with pytest.raises(LibraryError, match=r"\.netrc:3: ") as caught:
        find_credentials(HOST)
    assert "s3cret" not in str(caught.value)


def test_a_netrc_that_is_named_has_to_be_there(monkeypatch, tmp_path):
    monkeypatch.setenv("NETRC", str(tmp_path / "nowhere"))
    with pytest.raises(LibraryError, match="can't be read"):
        find_credentials(HOST)


def test_nothing_secret_shows_in_what_is_printed(monkeypatch):
    monkeypatch.setenv(module.USER, "reader")
    monkeypatch.setenv(module.PASSWORD, "s3cret")
    found = find_credentials(HOST)
    assert "s3cret" not in repr(found)
    assert found.authorization.removeprefix("Basic ") not in repr(found)
    assert found.hide(f"you sent s3cret, {found.authorization}") == "you sent ***, Basic ***"


def test_hosts_at_amazon_get_signed_requests(monkeypatch):
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "AKIDEXAMPLE")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "s3cret")
    signer = find_credentials(DOMAIN).signer
    signed = signer("POST", f"https://{DOMAIN.name}:443/papers/_search", b"{}")
    assert signed["Authorization"].startswith("AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/")
    assert "/eu-west-3/es/aws4_request, SignedHeaders=host;x-amz-date" in signed["Authorization"]


def test_hosts_at_amazon_may_have_users_too(monkeypatch):
    monkeypatch.setenv(module.USER, "reader")
    monkeypatch.setenv(module.PASSWORD, "s3cret")
    assert find_credentials(DOMAIN).signer is None


def test_what_amazon_lacks_is_said(monkeypatch):
    with pytest.raises(LibraryError, match="no credentials of Amazon were found"):
        find_credentials(DOMAIN)
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "AKIDEXAMPLE")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "s3cret")
    with pytest.raises(LibraryError, match="no region is known"):
        find_credentials(Host("vpc.amazonaws.com", 443))


def test_a_profile_of_amazon_that_is_not_there_is_named(monkeypatch):
    monkeypatch.setenv("AWS_PROFILE", "nobody")
    with pytest.raises(LibraryError, match="nobody"):
        find_credentials(DOMAIN)


def test_names_that_only_look_like_amazons_are_not():
    assert find_credentials(Host("amazonaws.com.example.org", 443)) == Credentials()


def test_several_hide_all_their_secrets_and_tell_none():
    both = join_credentials(
        [Credentials("A", "x", secrets=("one",)), Credentials("B", secrets=("two",))]
    )
    assert both.hide("one and two") == "*** and ***"
    assert (both.origin, both.authorization) == ("A or B", "")
