"""Logs: one JSON object a line, or coloured lines on a terminal. Never secrets, never what people write."""

import logging
import sys
from typing import TextIO

import structlog

from souvenir.config import Settings

_QUIET = (
    "httpx2",
    "httpcore2",
    "openai",
    "uvicorn.access",
    "uvicorn.error",
    "alembic",
    "psycopg.pool",
    "asyncio",
    "aiobotocore",
    "botocore",
)


def configure_logging(settings: Settings, stream: TextIO | None = None) -> None:
    """Send structlog's and every library's messages to one place in one form. Calling it again replaces the form."""
    stream = stream if stream is not None else sys.stderr
    pretty = settings.log_format == "pretty" or (settings.log_format == "auto" and stream.isatty())
    level = logging.getLevelNamesMapping()[settings.log_level.upper()]
    shared: list[structlog.typing.Processor] = [
        structlog.contextvars.merge_contextvars,
        structlog.stdlib.add_log_level,
        structlog.stdlib.add_logger_name,
        structlog.processors.TimeStamper(fmt="iso", utc=True),
        structlog.processors.StackInfoRenderer(),
    ]
    structlog.configure(
        processors=[*shared, structlog.stdlib.ProcessorFormatter.wrap_for_formatter],
        logger_factory=structlog.stdlib.LoggerFactory(),
        wrapper_class=structlog.make_filtering_bound_logger(level),
        cache_logger_on_first_use=False,
    )
    handler = logging.StreamHandler(stream)
    handler.setFormatter(
        structlog.stdlib.ProcessorFormatter(
            foreign_pre_chain=[*shared, structlog.stdlib.ExtraAdder()],
            processors=[structlog.stdlib.ProcessorFormatter.remove_processors_meta, *_renderers(pretty=pretty)],
        )
    )
    root = logging.getLogger()
    root.handlers = [handler]
    root.setLevel(level)
    for name in _QUIET:
        logging.getLogger(name).setLevel(logging.WARNING)


def _renderers(*, pretty: bool) -> list[structlog.typing.Processor]:
    if pretty:
        return [structlog.dev.ConsoleRenderer(exception_formatter=structlog.dev.plain_traceback)]
    return [structlog.processors.format_exc_info, structlog.processors.JSONRenderer()]
