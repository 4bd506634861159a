"""What OpenAI's SDK would pick up from variables meant for other programs, and we keep from being sent."""

from collections.abc import Mapping

from openai import Omit

_OWN = ("OpenAI-Organization", "OpenAI-Project")


def ambient_headers(environ: Mapping[str, str]) -> dict[str, str | Omit]:
    """The headers that `OPENAI_*` variables would add to a call, each marked to be left out."""
    lines = environ.get("OPENAI_CUSTOM_HEADERS", "").splitlines()
    return dict.fromkeys([*(line.partition(":")[0].strip() for line in lines), *_OWN], Omit())
