import pytest

from likewise.errors import SettingsError
from likewise.expansion.settings import ExpandSettings
from likewise.server.models.sessions import SettingsRequest
from likewise.server.routes.expansions import choose_settings

BEFORE = ExpandSettings(pool=500, keep="top=10")


def test_what_is_not_chosen_is_as_it_was():
    chosen = choose_settings(SettingsRequest(rounds=3), before=BEFORE)
    assert chosen == ExpandSettings(pool=500, keep="top=10", rounds=3)


@pytest.mark.parametrize("method", ["linear", "naive", "bm25", "copkmeans"])
def test_methods_that_are_quick_and_need_no_extra_are_taken(method):
    assert choose_settings(SettingsRequest(method=method), before=BEFORE).method == method


@pytest.mark.parametrize(
    "method", ["nnpu-cnn", "fused", "linear + naive", "linear(strength=2)", "/etc/passwd", ""]
)
def test_other_methods_are_refused_with_those_there_are(method):
    with pytest.raises(SettingsError, match="linear, naive, bm25, copkmeans"):
        choose_settings(SettingsRequest(method=method), before=BEFORE)


@pytest.mark.parametrize("keep", ["best", "recall=2", "top=0.5", "", "f1=3", "zero"])
def test_a_rule_of_what_to_keep_that_makes_no_sense_is_refused(keep):
    with pytest.raises(SettingsError):
        choose_settings(SettingsRequest(keep=keep), before=BEFORE)
