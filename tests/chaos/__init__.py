"""
Chaos: random death while picks go on, drawn from a seed.

Two storms. One goes over the whole chain: the real library asks from many threads, the service lives in a
process of its own that is killed, stopped and kept from its disk, and whose actors are killed one by one. The
other lives under a virtual clock, and strikes at moments that real time hardly ever hits.

`python -m tests.chaos storm|soak` runs them without the test runner.
"""
