"""quota-router: which subscription serves the next request, and why."""

__all__ = ["__version__"]

__version__ = "0.1.0"
