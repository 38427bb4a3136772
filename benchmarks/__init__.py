"""Measures what a pick costs: the real library, loaded as the host does it, in front of a real service.

`make bench` runs all scenarios (a quarter of an hour), `make bench SHORT=1` a few of them (half a minute).
Each is measured beside a bare C server on a socket of its own, with the same library and the same bodies, in
turns: the ratio to that floor says more than any absolute time, which is the machine's.
"""
