"""What goes wrong on the way to a server, in plain words."""

import ssl

import pytest
from urllib3 import exceptions

from likewise.errors import DownloadError
from likewise.web.troubles import (
    PassingTroubleError,
    check_address,
    describe_status,
    plain_address,
    translate_error,
)


def test_a_certificate_that_can_not_be_verified_stays_so():
    error = exceptions.SSLError(ssl.SSLCertVerificationError("self-signed certificate"))
    trouble = translate_error(exceptions.MaxRetryError(None, "/", error))
    assert isinstance(trouble, DownloadError)
    assert str(trouble).startswith("has a certificate that can't be verified")


@pytest.mark.parametrize(
    "error",
    [
        exceptions.SSLError(ssl.SSLError("unexpected eof")),
        exceptions.ProtocolError("connection broken"),
        exceptions.DecodeError("not gzip"),
    ],
)
def test_a_broken_connection_may_be_whole_the_next_time(error):
    trouble = translate_error(error)
    assert isinstance(trouble, PassingTroubleError)
    assert str(trouble) == "cuts the connection"


def test_an_error_of_another_kind_is_one_line():
    assert str(translate_error(exceptions.HTTPError("odd\nthing"))) == "can't be asked: odd thing"


@pytest.mark.parametrize(
    ("status", "words"),
    [
        (403, "refuses to hand it out (403)"),
        (429, "is asked too often (429)"),
        (503, "is out of order for now (503)"),
        (301, "sends on to another address, which is not followed (301)"),
    ],
)
def test_answers_are_told_in_words(status, words):
    assert describe_status(status) == words


def test_an_address_is_shown_without_secrets():
    assert plain_address("https://me:a@b@host/p?key=1#x") == "https://host/p"


def test_an_address_that_is_none_is_shown_without_secrets():
    with pytest.raises(DownloadError) as raised:
        check_address("ftp://me:hush@host/")
    assert str(raised.value).startswith("'ftp://host/': no address of the web")
