"""Guessing tokens: slow for one, slow for all together, and the table stays small."""

from qr.web.attempts import LIMIT, LIMIT_OF_ALL, TABLE, WINDOW, Attempts, origin_of


def test_some_wrong_tokens_are_forgiven_then_there_is_a_wait():
    attempts = Attempts()
    for second in range(LIMIT):
        assert attempts.wait("page a", second) is None
        attempts.failed("page a", second)
    assert attempts.wait("page a", LIMIT) == WINDOW - LIMIT
    assert attempts.wait("page a", WINDOW) is None


def test_others_may_go_on():
    attempts = Attempts()
    for _ in range(LIMIT):
        attempts.failed("page a", 0)
    assert attempts.wait("page b", 1) is None


def test_a_success_starts_anew():
    attempts = Attempts()
    for _ in range(LIMIT):
        attempts.failed("page a", 0)
    attempts.succeeded("page a")
    assert attempts.wait("page a", 1) is None


def test_many_origins_are_limited_together():
    attempts = Attempts()
    for number in range(LIMIT_OF_ALL):
        attempts.failed(f"page {number}", 0)
    assert attempts.wait("page never-seen", 1) is not None


def test_a_programs_old_token_locks_no_page_out():
    attempts = Attempts()
    for number in range(LIMIT_OF_ALL * 2):
        attempts.failed(f"program {number}", 0)
    assert attempts.wait("page 127.0.0.1", 1) is None


def test_the_table_is_bounded_whatever_is_thrown_at_it():
    attempts = Attempts()
    for number in range(TABLE * 3):
        attempts.failed(f"page {number}", number)
    assert len(attempts) <= TABLE


def test_an_ipv6_customer_is_one_origin():
    assert origin_of("2001:db8::1", "page") == origin_of("2001:db8::ffff", "page")
    assert origin_of("2001:db8:0:1::1", "page") != origin_of("2001:db8::1", "page")
    assert origin_of("192.0.2.1", "page") != origin_of("192.0.2.2", "page")
    assert origin_of("::1", "page") != origin_of("::1", "program")


def test_an_address_that_is_none_is_cut():
    assert len(origin_of("x" * 9999, "page")) < 100
