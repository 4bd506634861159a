"""Questions that lean on what was said before them, rewritten to stand alone."""

from souvenir.chat.rewriting.local import LocalRewriter
from souvenir.chat.rewriting.model import ModelRewriter
from souvenir.chat.rewriting.port import Rewriter, Rewritten, Turn

__all__ = ["LocalRewriter", "ModelRewriter", "Rewriter", "Rewritten", "Turn"]
