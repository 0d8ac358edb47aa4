import logging

import pytest
from fastapi.responses import StreamingResponse

from server.guarded import client_of, error_of, guarded_app


def test_a_mistake_is_answered_in_the_one_shape(client):
    error = error_of(client.get("/api/mistaken"))
    assert error["kind"] == "mistake"
    assert error["message"] == (
        "ZeroDivisionError: this is a mistake of likewise; please report it"
    )


def test_where_a_mistake_happened_is_for_the_log_alone(client, caplog):
    with caplog.at_level(logging.ERROR):
        answer = client.get("/api/mistaken")
    assert "Traceback" not in answer.text
    assert "Traceback" in caplog.text


def test_what_the_system_refuses_is_told_without_paths(client):
    error = error_of(client.get("/api/full"))
    assert error["message"] == "the server's system says: no space left on device"


def test_half_an_answer_is_broken_off():
    def pieces():
        yield b"half"
        raise ValueError("no more")

    app = guarded_app()
    app.get("/api/half")(lambda: StreamingResponse(pieces()))
    with client_of(app) as client, pytest.raises(ValueError, match="no more"):
        client.get("/api/half")
