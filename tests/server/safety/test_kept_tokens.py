import stat

import pytest

from likewise.errors import SettingsError
from likewise.server.safety.tokens import FILE, keep_tokens, read_tokens


def test_each_reviewer_has_a_token_of_their_own(tmp_path):
    ann, bo = keep_tokens(tmp_path, ["Ann", "Bo"])
    assert (ann.reviewer, bo.reviewer) == ("Ann", "Bo")
    assert ann.token != bo.token
    assert len(ann.token) == len(bo.token) == 43


def test_a_server_that_is_started_again_knows_the_same_tokens(tmp_path):
    before = keep_tokens(tmp_path, ["Ann", "Bo"])
    assert keep_tokens(tmp_path, ["Ann", "Bo"]) == before


def test_a_name_in_other_letters_has_the_token_it_had(tmp_path):
    (ann,) = keep_tokens(tmp_path, ["Ann Lee"])
    assert keep_tokens(tmp_path, [" ann  lee"])[0].token == ann.token


def test_who_is_not_named_is_not_let_in_and_comes_back_with_the_same_token(tmp_path):
    ann, bo = keep_tokens(tmp_path, ["Ann", "Bo"])
    assert keep_tokens(tmp_path, ["Bo", "Cy"])[0] == bo
    assert keep_tokens(tmp_path, ["Ann"]) == (ann,)


def test_only_the_owner_can_read_the_file(tmp_path):
    keep_tokens(tmp_path, ["Ann"])
    assert stat.S_IMODE((tmp_path / FILE).stat().st_mode) == 0o600


def test_a_file_that_others_can_read_is_refused_with_the_way_out(tmp_path):
    keep_tokens(tmp_path, ["Ann"])
    (tmp_path / FILE).chmod(0o644)
    with pytest.raises(SettingsError, match="others can read the tokens in it; delete it"):
        keep_tokens(tmp_path, ["Ann"])


@pytest.mark.parametrize("content", [b"", b"{}", b"[1]", b'[["Ann"]]', b"\xff"])
def test_a_damaged_file_is_refused_with_the_way_out(tmp_path, content):
    (tmp_path / FILE).write_bytes(content)
    (tmp_path / FILE).chmod(0o600)
    with pytest.raises(SettingsError, match=r"reviewers\.json: damaged; delete it"):
        read_tokens(tmp_path)


@pytest.mark.parametrize(
    ("names", "told"),
    [
        (["Ann", "Bo", "ANN"], "two reviewers are called 'Ann' and 'ANN'"),
        (["Ann", "Ann"], "two reviewers are called 'Ann', so nobody"),
        ([" "], "a reviewer without a name"),
        (["a;b"], "holds a semicolon"),
        ([str(number) for number in range(51)], "51 reviewers; a server knows 50 at most"),
    ],
)
def test_names_that_can_not_be_used_are_refused_before_anything_is_written(tmp_path, names, told):
    with pytest.raises(SettingsError, match=told):
        keep_tokens(tmp_path, names)
    assert not list(tmp_path.iterdir())
