"""Polls against real sockets; the rules of these tests are in `servers`."""
