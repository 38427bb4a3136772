"""Logging: an event and its facts, one line each, to standard error. No label, id or secret is among them."""

import logging
import sys

import structlog

__all__ = ["configure"]


def configure(level: str) -> None:
    """Write events of *level* (`debug`, `info`, `warning`, `error`) and above."""
    # The libraries' own loggers say nothing below a warning: at debug they quote what is sent.
    logging.basicConfig(level=logging.WARNING, stream=sys.stderr, format="%(levelname)s %(name)s %(message)s")
    structlog.configure(
        processors=[
            structlog.processors.add_log_level,
            structlog.processors.TimeStamper(fmt="iso", utc=False),
            structlog.dev.ConsoleRenderer(colors=sys.stderr.isatty())
            if sys.stderr.isatty()
            else structlog.processors.LogfmtRenderer(key_order=["timestamp", "level", "event"]),
        ],
        wrapper_class=structlog.make_filtering_bound_logger(logging.getLevelNamesMapping()[level.upper()]),
        logger_factory=structlog.PrintLoggerFactory(sys.stderr),
        cache_logger_on_first_use=True,
    )
