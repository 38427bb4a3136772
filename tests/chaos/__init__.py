"""
Chaos: random death while picks go on, drawn from a seed.

Two storms. One goes over the whole chain: the real library asks from many threads, the service lives in a
process of its own that is killed, stopped and kept from its disk, its actors are killed one by one, and the
library is exchanged. The other lives under a virtual clock, and strikes at moments that real time hardly ever
hits.

`python -m tests.chaos chain|virtual|soak` runs them without the test runner.
"""
