"""The state file and its lock."""
