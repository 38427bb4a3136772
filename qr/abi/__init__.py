"""The plugin bridge: the host's calls in, the host's callbacks out."""
