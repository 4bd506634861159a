"""Every error Souvenir raises on purpose. The message is written for the person who has to act on it.

SouvenirError
├── StartError                 the program cannot start or a command cannot run; the CLI prints it and exits 1
│   ├── SettingsError
│   ├── DatabaseError
│   ├── WeightsMissing
│   └── DimensionMismatch
├── RequestError               the caller can mend it (4xx)
│   ├── BadInput               400, names the field
│   ├── Unauthenticated        401, never says why
│   ├── Forbidden              403
│   ├── NotFound               404
│   ├── Conflicting            409
│   └── TooLarge               413
├── ServiceError               something behind us failed (5xx, or the provider's own status)
│   ├── Unavailable            503: the database, the embedder or the identity provider does not answer
│   ├── ProviderError          the model's host answered with an error; its status and body are kept
│   ├── ProviderUnreachable    502
│   ├── ProviderTimeout        504
│   └── StructuredOutputError  a model's JSON stayed invalid after repair and one retry
└── Erased                     a job works for somebody who was erased meanwhile; it ends, and nobody is told
"""

from souvenir.types import JsonObject


class SouvenirError(Exception):
    """The root: catching it catches what Souvenir raises on purpose and nothing else."""


class StartError(SouvenirError):
    """The program cannot start, or a command cannot run."""


class SettingsError(StartError):
    """A setting is unknown, of the wrong type, or contradicts another."""


class DatabaseError(StartError):
    """The database is unreachable, too old, lacks the extension, or its schema is newer than this program."""


class WeightsMissing(StartError):
    """The built-in embedder's weights were not found and could not be fetched."""


class DimensionMismatch(StartError):
    """An embedding model gave vectors of another length than the ones stored under its name."""


class RequestError(SouvenirError):
    """A request that its caller can mend."""


class BadInput(RequestError):
    """A field of the request is wrong; `field` is the path to it, as a client writes it."""

    def __init__(self, field: str, message: str, code: str | None = None) -> None:
        super().__init__(f"{field}: {message}" if field else message)
        self.field = field
        self.message = message
        self.code = code


class Unauthenticated(RequestError):
    """The credential is missing, expired or invalid; which of them is not told."""


class Forbidden(RequestError):
    """The caller may not use this space or resource, or it does not exist: both answer alike."""


class NotFound(RequestError):
    """There is no such thing, and saying so tells nothing about anybody else's."""


class Conflicting(RequestError):
    """What is asked for contradicts what is there."""


class TooLarge(RequestError):
    """The body, a message or a page is over its stated maximum."""


class ServiceError(SouvenirError):
    """Something Souvenir depends on failed."""


class Unavailable(ServiceError):
    """A part that this request needs does not answer now; trying again later may work."""


class ProviderError(ServiceError):
    """A model's host answered with an error; it is passed on with the status and body it came with."""

    def __init__(self, provider: str, status: int, body: JsonObject | None, message: str) -> None:
        super().__init__(f"{provider} answered {status}: {message}")
        self.provider = provider
        self.status = status
        self.body = body
        self.message = message
        self.retry_after: str | None = None


class ProviderUnreachable(ServiceError):
    """A model's host could not be reached, or broke off before its answer was whole."""


class ProviderTimeout(ServiceError):
    """A model's host did not answer within the time limit."""


class StructuredOutputError(ServiceError):
    """A model's output did not become valid JSON of the asked-for shape, after repair and one retry."""


class Erased(SouvenirError):
    """Whom a job works for was erased while it ran: nothing it would still write is wanted."""
