"""Who serves this request: pure functions from a situation to a decision."""
