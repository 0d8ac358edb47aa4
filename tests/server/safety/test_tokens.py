import pytest
from fastapi import Request

from likewise.server import ReviewerToken
from likewise.server.safety.tokens import MOST_ADDRESSES, Attempts, find_reviewer, make_cookie
from server.guarded import TOKEN, client_of, error_of, guarded_app

FORM = {"Content-Type": "application/x-www-form-urlencoded"}


def test_this_machine_needs_no_token(client):
    assert client.get("/api/looked").status_code == 200


def test_this_machine_needs_the_token_that_was_set():
    with client_of(guarded_app(token=TOKEN)) as client:
        assert client.get("/api/looked").status_code == 401


def test_a_program_without_the_token_is_refused_in_the_one_shape(stranger):
    answer = stranger.get("/api/looked")
    assert error_of(answer)["kind"] == "no-token"
    assert answer.headers["WWW-Authenticate"] == "Bearer"


@pytest.mark.parametrize("path", ["/api", "/api/nothing", "/api/openapi.json"])
def test_nothing_of_the_api_is_told_without_the_token(stranger, path):
    assert stranger.get(path).status_code == 401


def test_nothing_is_written_without_the_token(stranger):
    assert stranger.post("/api/seeds", json={"text": "a"}).status_code == 401


def test_a_program_with_the_token_is_answered(stranger):
    answer = stranger.get("/api/looked", headers={"Authorization": f"Bearer {TOKEN}"})
    assert answer.json() == {"limit": 3}


@pytest.mark.parametrize("given", [f"Basic {TOKEN}", TOKEN, "Bearer", f"Bearer {TOKEN}x", "é"])
def test_anything_else_is_no_token(stranger, given):
    headers = {"Authorization": given.encode("latin-1")}
    assert stranger.get("/api/looked", headers=headers).status_code == 401


def test_a_person_without_the_token_is_asked_for_it(stranger):
    answer = stranger.get("/")
    assert answer.status_code == 401
    assert '<form method="post" action="/enter">' in answer.text


def test_the_page_that_asks_has_its_style(stranger):
    assert stranger.get("/static/base.css").status_code == 200


def test_the_printed_address_leads_to_the_page(stranger):
    answer = stranger.get("/enter", params={"token": TOKEN})
    # Not by a redirect: after a link on another site, browsers would go there without the cookie.
    assert (answer.status_code, answer.headers["Refresh"]) == (200, "0; url=/")
    assert stranger.get("/").text == "<h1>the page</h1>"


def test_the_form_leads_to_the_page(stranger):
    stranger.post("/enter", data={"token": f" {TOKEN} "})
    assert stranger.get("/api/looked").status_code == 200


def test_the_form_may_be_sent_by_a_browser_that_hides_where_from(stranger):
    answer = stranger.post("/enter", data={"token": TOKEN}, headers={"Origin": "null"})
    assert answer.status_code == 303


def test_the_cookie_is_for_this_server_and_no_script(stranger):
    cookie = stranger.get("/enter", params={"token": TOKEN}).headers["Set-Cookie"]
    name, *rules = cookie.lower().split("; ")
    assert name.startswith("likewise-8765=")
    assert {"httponly", "samesite=strict", "path=/", "max-age=604800"} <= set(rules)


def test_the_cookie_does_not_hold_the_token(stranger):
    assert TOKEN not in stranger.get("/enter", params={"token": TOKEN}).headers["Set-Cookie"]


def test_the_cookie_outlives_the_server():
    assert make_cookie(TOKEN) == make_cookie(TOKEN)
    assert make_cookie(TOKEN) != make_cookie(f"{TOKEN}2")


def test_a_wrong_cookie_is_none(stranger):
    stranger.cookies.set("likewise-8765", make_cookie("another-token-than-ours"))
    assert stranger.get("/api/looked").status_code == 401


def test_a_wrong_token_sets_no_cookie_and_says_so(stranger):
    answer = stranger.get("/enter", params={"token": "wrong"})
    assert "Set-Cookie" not in answer.headers
    assert 'role="alert"' in answer.text


def test_who_has_the_cookie_need_not_enter_again(stranger):
    stranger.get("/enter", params={"token": TOKEN})
    assert stranger.get("/enter").headers["Location"] == "/"


def test_where_no_token_is_needed_to_enter_leads_to_the_page(client):
    answer = client.get("/enter", params={"token": "anything"})
    assert answer.headers["Location"] == "/"
    assert "Set-Cookie" not in answer.headers


def guess(client, *, times, **options):
    """Send wrong tokens, and return the last answer."""
    for number in range(times):
        answer = client.get("/enter", params={"token": f"guess {number}"}, **options)
    return answer


def test_after_ten_wrong_tokens_the_guesser_has_to_wait(stranger):
    answer = guess(stranger, times=11)
    assert error_of(answer)["kind"] == "too-many-tokens"
    assert 0 < int(answer.headers["Retry-After"]) <= 60


@pytest.mark.parametrize("how", ["by its link", "by the form", "in a header"])
def test_the_right_token_passes_after_any_number_of_wrong_ones(stranger, how):
    guess(stranger, times=30)
    if how == "by its link":
        answer = stranger.get("/enter", params={"token": TOKEN})
    elif how == "by the form":
        answer = stranger.post("/enter", data={"token": TOKEN})
    else:
        answer = stranger.get("/api/looked", headers={"Authorization": f"Bearer {TOKEN}"})
    assert answer.status_code in {200, 303}


def test_the_owner_of_a_server_is_told_of_guesses(stranger, caplog):
    guess(stranger, times=30)
    assert caplog.messages == ["unknown: too many wrong tokens from this address"]


def proxied(*proxies):
    """Ask an app as a proxy at 10.0.0.9 does."""
    app = guarded_app(host="192.168.0.5", token=TOKEN, proxies=proxies)
    return client_of(app, address="http://192.168.0.5:8765", client=("10.0.0.9", 5_000))


def test_guesses_that_come_through_a_proxy_are_told_apart():
    with proxied("10.0.0.9") as client:
        guess(client, times=11, headers={"X-Forwarded-For": "192.0.2.1"})
        other = guess(client, times=1, headers={"X-Forwarded-For": "192.0.2.2"})
    assert other.status_code == 401


def test_what_a_stranger_says_of_its_address_is_not_believed():
    with proxied() as client:
        for number in range(11):
            headers = {"X-Forwarded-For": f"192.0.2.{number}"}
            answer = client.get("/enter", params={"token": f"guess {number}"}, headers=headers)
    assert answer.status_code == 429


def test_who_has_the_cookie_is_not_kept_out_by_guesses_of_others(stranger):
    stranger.get("/enter", params={"token": TOKEN})
    for number in range(12):
        stranger.get("/enter", params={"token": f"guess {number}"})
    assert stranger.get("/api/looked").status_code == 200


def test_a_form_with_many_fields_is_only_a_wrong_token(stranger):
    answer = stranger.post("/enter", content=b"a=1&" * 500, headers=FORM)
    assert answer.status_code == 401


class Clock:
    now = 0.0

    def __call__(self):
        return self.now


def test_an_address_may_try_until_it_was_wrong_so_many_times():
    attempts = Attempts(most=2, clock=Clock())
    attempts.add("a", "1")
    assert attempts.wait("a") == 0
    attempts.add("a", "2")
    assert attempts.wait("a") == 60


def test_the_first_wrong_token_is_forgotten_first():
    clock = Clock()
    attempts = Attempts(most=2, seconds=60, clock=clock)
    attempts.add("a", "1")
    clock.now = 50
    attempts.add("a", "2")
    assert attempts.wait("a") == 10
    clock.now = 60
    assert attempts.wait("a") == 0


def test_the_same_wrong_token_counts_once():
    attempts = Attempts(most=2, clock=Clock())
    for _ in range(5):
        attempts.add("a", "old")
    assert attempts.wait("a") == 0


def test_another_address_is_not_kept_out():
    attempts = Attempts(most=1, clock=Clock())
    attempts.add("a", "1")
    assert attempts.wait("b") == 0


def test_only_so_many_addresses_are_remembered():
    attempts = Attempts(most=1, clock=Clock())
    for number in range(MOST_ADDRESSES + 1):
        attempts.add(str(number), "1")
    assert (attempts.wait("0"), attempts.wait("1")) == (0, 60)


ANN, BO = (ReviewerToken(name, f"the-token-of-{name}-alone") for name in ("Ann", "Bo"))


@pytest.fixture
def team():
    """An app that knows two reviewers, and says who asks."""
    app = guarded_app(host="192.168.0.5", reviewers=(ANN, BO))

    @app.get("/api/asker")
    def tell(request: Request):
        return {"reviewer": find_reviewer(request)}

    with client_of(app, address="http://192.168.0.5:8765") as client:
        yield client


@pytest.mark.parametrize("who", [ANN, BO])
def test_a_token_tells_who_asks(team, who):
    answer = team.get("/api/asker", headers={"Authorization": f"Bearer {who.token}"})
    assert answer.json() == {"reviewer": who.reviewer}


@pytest.mark.parametrize("who", [ANN, BO])
def test_a_cookie_tells_who_asks(team, who):
    team.get("/enter", params={"token": who.token})
    assert team.get("/api/asker").json() == {"reviewer": who.reviewer}


def test_whoever_enters_by_another_address_is_somebody_else_from_then_on(team):
    team.get("/enter", params={"token": ANN.token})
    team.get("/enter", params={"token": BO.token})
    assert team.get("/api/asker").json() == {"reviewer": "Bo"}


@pytest.mark.parametrize("token", ["", "Ann", f"{ANN.token}{BO.token}", ANN.token[:-1]])
def test_what_is_no_reviewers_token_lets_nobody_in(team, token):
    assert team.get("/api/asker", headers={"Authorization": f"Bearer {token}"}).status_code == 401


def test_a_cookie_wins_over_a_token_in_a_header(team):
    team.get("/enter", params={"token": ANN.token})
    answer = team.get("/api/asker", headers={"Authorization": f"Bearer {BO.token}"})
    assert answer.json() == {"reviewer": "Ann"}


def test_no_token_of_a_reviewer_is_logged(team, caplog):
    guess(team, times=30)
    team.get("/enter", params={"token": ANN.token})
    assert ANN.token not in caplog.text


def test_the_one_token_for_all_tells_no_name(stranger):
    app = stranger.app

    @app.get("/api/asker")
    def tell(request: Request):
        return {"reviewer": find_reviewer(request)}

    answer = stranger.get("/api/asker", headers={"Authorization": f"Bearer {TOKEN}"})
    assert answer.json() == {"reviewer": ""}
