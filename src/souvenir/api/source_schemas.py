"""What clients send and get of file sources and their trees."""

from datetime import datetime
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, StrictBool, StringConstraints

from souvenir.api.schemas import Name

Pattern = Annotated[str, StringConstraints(min_length=1, max_length=200)]


class AddSource(BaseModel):
    """A folder to index."""

    model_config = ConfigDict(extra="forbid")

    path: Annotated[str, StringConstraints(min_length=1, max_length=4096)] = Field(
        description="The folder on the server, absolute, in one of the operator's `source_roots`."
    )
    include: Annotated[list[Pattern], Field(max_length=100)] = Field(
        default=[], description="Only files that match one of these, as in `.gitignore`. Empty: all."
    )
    exclude: Annotated[list[Pattern], Field(max_length=100)] | None = Field(
        None, description="Files and folders to leave out. Unset: `.git/`, `node_modules/` and such."
    )
    watch: StrictBool = Field(True, description="Index changes as they happen.")
    project_id: Name | None = Field(None, description="The project it is for; unset: the caller alone.")


class Reindex(BaseModel):
    """How to go over a source again."""

    model_config = ConfigDict(extra="forbid")

    full: StrictBool = Field(False, description="Read every file anew, unchanged ones too.")


class SourceStatistics(BaseModel):
    """What a source amounts to now."""

    files: int
    indexed: int
    skipped: int = Field(description="Files of a kind that is not read, such as binary data.")
    failed: int = Field(description="Files that could not be read; `/sources/{id}/files?status=failed` says why.")
    chunks: int
    bytes: int = Field(description="Of the files that are indexed.")


class SourceJobEntry(BaseModel):
    """One run over a source, and how far it has come."""

    job_id: str
    state: Literal["queued", "running", "paused", "done", "cancelled", "failed"]
    full: bool
    paths: list[str] | None = Field(description="The places it is limited to; null: the whole source.")
    found: int
    indexed: int
    unchanged: int
    skipped: int
    failed: int
    removed: int
    chunks: int
    bytes: int
    chunks_per_second: float | None
    queued_at: datetime
    started_at: datetime | None
    finished_at: datetime | None
    error: str | None


class SourceEntry(BaseModel):
    """A source as lists show it."""

    source_id: str
    path: str
    include: list[str]
    exclude: list[str]
    watch: bool
    created_at: datetime
    statistics: SourceStatistics
    job: SourceJobEntry | None = Field(description="The job that runs, else the newest.")


class SourceList(BaseModel):
    """All sources of a space."""

    sources: list[SourceEntry]


class SourceJobs(BaseModel):
    """Jobs of a source, newest first."""

    jobs: list[SourceJobEntry]


class SourceFile(BaseModel):
    """What became of a file."""

    path: str
    status: Literal["indexed", "skipped", "failed"]
    error: str | None
    format: str | None
    size: int
    chunks: int
    indexed_at: datetime


class SourceFiles(BaseModel):
    """Files of a source by path."""

    files: list[SourceFile]
    next_after: str | None = Field(description="Give this as `after` for the next page; null: that was all.")


class TreeEntry(BaseModel):
    """Something in a source's folder."""

    path: str = Field(description="Below the source's folder. A byte that is not UTF-8 is written `\\udcff`.")
    kind: Literal["file", "folder", "link", "other"] = Field(description="Links are shown and never followed.")
    size: int | None
    modified_at: datetime | None


class Tree(BaseModel):
    """What is in a folder, nearer entries first."""

    entries: list[TreeEntry]
    truncated: bool = Field(description="Whether there is more than the limit.")


class FileContent(BaseModel):
    """A file's text."""

    path: str
    size: int
    binary: bool
    text: str | None = Field(description="Null for binary data.")
    truncated: bool
