"""
Stories through the whole chain: a host that has loaded the real library, the real socket, the service behind
it, its state file, and another service after it.

They never sleep. What must happen by itself is asked for again until it has, within bounds.
"""
