"""The same actors against a simulated provider: demo, simulation, faults."""
