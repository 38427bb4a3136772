"""Logging in: the printed URL, the form, the header, and those who guess."""

import pytest

from qr.web.attempts import LIMIT


@pytest.mark.parametrize(
    "sent",
    [
        "Bearer wrong",
        "Bearer",
        "bearer {token}x",
        "Basic {token}",
        "{token}",
        "Token {token}",
        "Bearer {token} x",
        "Bearer é",
        "Bearer \x80",
    ],
)
async def test_what_is_not_the_token_does_not_open(fleet, stranger, sent):
    header = sent.format(token=fleet.service.access.token).encode("latin-1")
    answer = await stranger.get("/api/v1/health", headers=[(b"Authorization", header)])
    assert answer.status_code == 401
    assert answer.headers["Content-Type"] == "application/problem+json"


async def test_the_printed_url_logs_in_and_leaves_no_token_behind(fleet, stranger):
    answer = await stranger.get(fleet.service.login_url)
    assert (answer.status_code, answer.headers["Location"]) == (303, "/")
    cookie = answer.headers["Set-Cookie"]
    assert {"HttpOnly", "SameSite=Strict", "Path=/"} <= {part.strip() for part in cookie.split(";")}
    assert "Secure" not in cookie
    assert fleet.service.access.token not in cookie
    assert answer.headers["Referrer-Policy"] == "no-referrer"
    assert (await stranger.get("/api/v1/health")).status_code == 200


async def test_a_wrong_url_says_so_to_the_page(stranger):
    answer = await stranger.get("/login?token=wrong")
    assert (answer.status_code, answer.headers["Location"]) == (303, "/#login=refused")
    assert "Set-Cookie" not in answer.headers


async def test_the_login_form_takes_the_token_as_json_only(fleet, stranger):
    token = fleet.service.access.token
    assert (await stranger.post("/login", data={"token": token})).status_code == 415
    assert (await stranger.post("/login", json={"token": token, "more": 1})).status_code == 400
    answer = await stranger.post("/login", json={"token": token})
    assert answer.status_code == 204
    assert (await stranger.get("/api/v1/health")).status_code == 200


async def test_behind_tls_the_cookie_is_kept_to_it(fleet, stranger):
    host = fleet.origin.removeprefix("http://")
    answer = await stranger.post(
        "/login", json={"token": fleet.service.access.token}, headers={"Origin": f"https://{host}"}
    )
    assert "Secure" in answer.headers["Set-Cookie"]


async def test_logging_out_takes_the_cookie_away(fleet, stranger):
    await stranger.get(fleet.service.login_url)
    assert (await stranger.post("/logout", headers={"Origin": fleet.origin})).status_code == 204
    assert (await stranger.get("/api/v1/health")).status_code == 401


@pytest.mark.parametrize("way", ["form", "url", "header"])
async def test_guessing_is_slowed_down_even_for_the_right_token(fleet, stranger, way):
    token = fleet.service.access.token

    async def guess(text):
        if way == "form":
            return await stranger.post("/login", json={"token": text})
        if way == "url":
            return await stranger.get(f"/login?token={text}")
        return await stranger.get("/api/v1/health", headers={"Authorization": f"Bearer {text}"})

    for _ in range(LIMIT):
        await guess("wrong")
    answer = await guess(token)
    if way == "url":
        assert answer.headers["Location"] == "/#login=later"
    else:
        assert answer.status_code == 429
        assert 0 < int(answer.headers["Retry-After"]) <= 60
    assert "Set-Cookie" not in answer.headers


async def test_who_is_logged_in_is_not_bothered_by_somebody_elses_guessing(fleet, stranger):
    for _ in range(LIMIT * 2):
        await stranger.post("/login", json={"token": "wrong"})
    answer = await stranger.get("/api/v1/health", headers={"Cookie": fleet.cookie})
    assert answer.status_code == 200
