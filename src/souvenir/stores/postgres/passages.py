"""Passages in Postgres: a row lock on the space puts its writers in line, vectors travel as raw half precision."""

import functools
import json
from collections import defaultdict
from collections.abc import AsyncIterator, Mapping, Sequence
from datetime import datetime
from typing import Any, TypeVar

import numpy as np
import psycopg
from numpy.typing import NDArray
from psycopg.rows import DictRow, tuple_row
from psycopg.types.json import Jsonb

from souvenir.clock import Clock
from souvenir.errors import BadInput, DimensionMismatch
from souvenir.stores.passage_ports import Changes, Columns, Details, NewPassage, Passage, SpaceState, Unembedded
from souvenir.stores.postgres.ahead import Ahead, Texts
from souvenir.stores.postgres.database import BE_PRESENT, Connection, PostgresDatabase
from souvenir.stores.postgres.halfvec import Halfvec, HalfvecDumper, packed, unpacked
from souvenir.stores.postgres.models import PostgresEmbeddingModelStore
from souvenir.types import GLOBAL_SPACE, SpaceId

Number = TypeVar("Number", bound=np.generic)

_BATCH_PASSAGES = 5_000
_BATCH_BYTES = 8 * 2**20
_YEAR_2000 = 946_684_800_000_000
"""Where Postgres counts its microseconds from, in those since 1970."""

# bytea stands for halfvec: COPY sends a field's bytes without its type
_WRITTEN = {
    "space_id": "text", "passage_id": "int8", "added": "int8", "revision": "int8", "at": "timestamptz",
    "until": "timestamptz", "start_char": "int4", "end_char": "int4", "words": "int4", "signs": "int2",
    "kind": "text", "chat_id": "text", "message_id": "text", "role": "text", "speaker": "text", "tags": "text[]",
    "category": "text", "origin": "jsonb", "terms": "text", "text": "text", "model": "text", "embedding": "bytea",
}  # fmt: skip
_COPY = f"copy passages ({', '.join(_WRITTEN)}) from stdin (format binary)"

_SHOWN = (
    'passage_id, kind, text, terms, at, start_char as start, end_char as "end", chat_id, message_id, role, speaker,'
    # parsing nothing takes time too
    " case when cardinality(tags) > 0 then tags end as tags, category, nullif(origin, '{}') as origin, until"
)

# One row of aggregates instead of thousands of rows: numbers arrive as arrays. Looked up one by one, in the order of
# the ids, because the planner would rather scan the whole space and sort; the limit keeps it from doing so.
_BATCH = """
select string_agg(int8send(passage_id), ''::bytea) as ids,
       string_agg(timestamptz_send(at), ''::bytea) as at,
       string_agg(timestamptz_send(coalesce(until, 'infinity')), ''::bytea) as until,
       string_agg(int4send(start_char), ''::bytea) as starts,
       string_agg(int4send(end_char), ''::bytea) as ends,
       string_agg(int2send(signs), ''::bytea) as signs,
       string_agg(int4send(words), ''::bytea) as words,
       array_agg(kind) as kinds,
       array_agg(terms) as terms,
       array_agg(text) as texts,
       array_agg(nullif(origin, '{}')::text) as origins,
       array_agg(chat_id) as chat_ids,
       array_agg(message_id) as message_ids,
       array_agg(role) as roles,
       array_agg(speaker) as speakers,
       array_agg(category) as categories,
       array_agg(case when tags <> '{}' then array_to_json(tags)::text end) as tags,
       string_agg(boolsend(embedded), ''::bytea) as embedded,
       string_agg(case when embedded then substr(halfvec_send(embedding), 5) end, ''::bytea) as vectors
  from unnest(%(ids)s::bigint[]) as wanted (id) cross join lateral (
       select passage_id, at, until, start_char, end_char, signs, words, kind, terms, text, origin, chat_id,
              message_id, role, speaker, category, tags, embedding,
              coalesce(model = %(model)s and vector_dims(embedding) = %(dimension)s, false) as embedded
         from passages where space_id = %(space)s and passage_id = wanted.id limit 1) as passage
"""

# a passage that was changed again after `until` is given as it is now: left out, it would be missing until next time
_CHANGED = """
select (select revision from passage_spaces where space_id = %(space)s) as revision,
       (select removals_since from passage_spaces where space_id = %(space)s) as removals_since,
       (select string_agg(int8send(passage_id), ''::bytea) from passage_removals
         where space_id = %(space)s and revision > %(since)s and revision <= %(until)s and %(since)s > 0) as removed,
       (select string_agg(int8send(passage_id), ''::bytea) from passages
         where space_id = %(space)s and revision > %(since)s and added <= %(until)s) as changed
"""

BEYOND = "erased"
"""In place of a space: the row that has a revision higher than that of any space that was erased."""
BEGINNING = f"coalesce((select revision from passage_spaces where space_id = '{BEYOND}'), 0)"
"""The revision of a space nobody wrote to, from which on its removals are on record: whoever still holds the index of
one that was erased reads it anew."""

_GROW = f"""
with space as (
    insert into passage_spaces (space_id, revision, passages, removals_since)
    values (%(space)s, {BEGINNING} + 1, %(count)s, {BEGINNING})
    on conflict (space_id) do update
       set revision = passage_spaces.revision + 1, passages = passage_spaces.passages + %(count)s
    returning revision)
select revision, array(select nextval('passage_ids') from generate_series(1, %(count)s)) as ids,
       (select jsonb_object_agg(model, dimension) from embedding_models
         where space_id = '{GLOBAL_SPACE}' and model = any(%(models)s)) as dimensions
  from space
"""

_REMOVE = """
with gone as (delete from passages where space_id = %(space)s and {which} returning passage_id),
     space as (update passage_spaces set revision = revision + 1, passages = passages - (select count(*) from gone)
                where space_id = %(space)s and exists (select from gone) returning revision),
     record as (insert into passage_removals (space_id, revision, passage_id, at)
                select %(space)s, space.revision, gone.passage_id, %(now)s from gone, space)
select count(*) as count from gone
"""

_FORGET = """
with gone as (delete from passage_removals where at < %(before)s returning space_id, revision),
     latest as (select space_id, max(revision) as revision from gone group by space_id),
     space as (update passage_spaces set removals_since = greatest(removals_since, latest.revision)
                 from latest where passage_spaces.space_id = latest.space_id)
select count(*) as count from gone
"""

# `>= and <=` rather than `=`: ordered by the model too, only the index that leads with it can serve, whatever the
# planner believes about how many passages there are of a model
_OTHERS = """
select space.space_id, found.passage_id
  from passage_spaces as space cross join lateral (
       select passage.passage_id
         from unnest(%(others)s::text[]) as other (model) cross join lateral (
              select passage_id from passages
               where space_id = space.space_id and model >= other.model and model <= other.model
               order by model, passage_id limit %(limit)s) as passage
        order by passage.passage_id limit %(limit)s) as found
 where {where}
 order by space.space_id, found.passage_id limit %(limit)s
"""


class PostgresPassageStore:
    """The PassageStore on Postgres."""

    def __init__(self, database: PostgresDatabase, clock: Clock) -> None:
        self._database = database
        self._clock = clock
        self._models = PostgresEmbeddingModelStore(database)

    async def add(self, space: SpaceId, passages: Sequence[NewPassage]) -> tuple[int, ...]:
        """Write passages by COPY, after the space's row is ours."""
        if not passages:
            return ()
        embeddings = [_embedding_of(passage) for passage in passages]
        lengths = _lengths(passages)
        async with self._database.joined() as connection:
            row = await _one(connection, _GROW, {"space": space, "count": len(passages), "models": list(lengths)})
            # behind the space, as everywhere: whoever uses a model first makes all others who do wait
            for model in sorted(lengths):
                await self._check_dimension(model, lengths[model], (row["dimensions"] or {}).get(model))
            ids: list[int] = row["ids"]
            revision: int = row["revision"]
            try:
                async with connection.cursor() as cursor, cursor.copy(_COPY) as copy:
                    copy.set_types(list(_WRITTEN.values()))
                    for passage_id, passage, embedding in zip(ids, passages, embeddings, strict=True):
                        await copy.write_row(_row(space, passage_id, revision, passage, embedding))
            except (psycopg.DataError, UnicodeEncodeError) as error:
                raise BadInput("text", "cannot be stored: it holds a NUL character or half a surrogate pair") from error
        return tuple(ids)

    async def remove(self, space: SpaceId, passage_ids: Sequence[int]) -> int:
        """Delete by id."""
        return await self._remove(space, "passage_id = any(%(ids)s::bigint[])", {"ids": list(passage_ids)})

    async def remove_chat(self, space: SpaceId, chat_id: str) -> int:
        """Delete what stands for a chat."""
        async with self._database.transaction() as connection:
            await connection.execute(
                "delete from external_messages where space_id = %s and chat_id = %s", [space, chat_id]
            )
            return await self._remove(space, "chat_id = %(chat)s", {"space": space, "chat": chat_id})

    async def remove_message(self, space: SpaceId, chat_id: str, message_id: str) -> int:
        """Delete what stands for a message."""
        values = {"space": space, "chat": chat_id, "message": message_id}
        return await self._remove(space, "chat_id = %(chat)s and message_id = %(message)s", values)

    async def close(self, space: SpaceId, passage_ids: Sequence[int], at: datetime) -> int:
        """Set the end of those that have none or a later one."""
        async with self._database.transaction() as connection:
            revision = await _next_revision(connection, space)
            cursor = await connection.execute(
                "update passages set until = %s, revision = %s"
                " where space_id = %s and passage_id = any(%s::bigint[]) and (until is null or until > %s)",
                [at, revision, space, list(passage_ids), at],
            )
            if cursor.rowcount:
                await _move(connection, space, revision)
            return cursor.rowcount

    async def get(self, space: SpaceId, passage_ids: Sequence[int], model: str | None = None) -> dict[int, Passage]:
        """Passages by id."""
        vector = "case when model = %(model)s then embedding end" if model is not None else "null"
        rows = await self._database.fetch_as(
            tuple_row,
            # looked up one by one, for the same reason as a batch
            f"select {_SHOWN}, {vector} as vector from unnest(%(ids)s::bigint[]) as wanted (id) cross join lateral"
            " (select * from passages where space_id = %(space)s and passage_id = wanted.id limit 1) as passage",
            # the ids as text: a third quicker than a list
            {"model": model, "ids": f"{{{','.join(map(str, passage_ids))}}}", "space": space},
            binary=True,
        )
        return {row[0]: _passage(row) for row in rows}

    def states(self, spaces: Sequence[SpaceId]) -> Ahead[dict[SpaceId, SpaceState]]:
        """Revisions and sizes, in one round trip."""
        return self._database.ahead(_states(len(spaces)), spaces, functools.partial(_read_states, spaces))

    async def changes(
        self, space: SpaceId, since: int, until: int, model: str, dimension: int
    ) -> AsyncIterator[Changes]:
        """The ids at once, then the passages in batches; no transaction is open while the caller works on one."""
        (found,) = await self._database.fetch(_CHANGED, {"space": space, "since": since, "until": until}, binary=True)
        if since > (found["revision"] or 0) or 0 < since < (found["removals_since"] or 0):
            raise LookupError(f"what was removed from {space} since revision {since} is no longer on record")
        removed = _numbers(found["removed"], ">i8", np.int64)
        changed = np.sort(_numbers(found["changed"], ">i8", np.int64))
        if not len(changed) and len(removed):
            yield Changes(_empty(dimension), removed)
        size = max(1, min(_BATCH_PASSAGES, _BATCH_BYTES // (2 * dimension)))
        for first in range(0, len(changed), size):
            ids = changed[first : first + size].tolist()
            values = {"space": space, "ids": ids, "model": model, "dimension": dimension}
            (batch,) = await self._database.fetch(_BATCH, values, binary=True)
            yield Changes(_columns(batch, dimension), removed if first == 0 else removed[:0])

    async def lock_chat(self, space: SpaceId, chat_id: str) -> None:
        """An advisory lock, since the chat itself may be kept by another engine."""
        async with self._database.joined() as connection:
            await connection.execute(
                f"{BE_PRESENT}, pg_advisory_xact_lock(hashtextextended(%s, hashtextextended(%s, 0)))",
                [space, chat_id, space],
            )

    async def external_ids(self, space: SpaceId, chat_id: str, external_ids: Sequence[str]) -> dict[str, str]:
        """Message ids by external id."""
        async with self._database.joined() as connection:
            cursor = await connection.execute(
                "select external_id, message_id from external_messages"
                " where space_id = %s and chat_id = %s and external_id = any(%s)",
                [space, chat_id, list(external_ids)],
            )
            return {row["external_id"]: row["message_id"] for row in await cursor.fetchall()}

    async def record_external_ids(self, space: SpaceId, chat_id: str, message_ids: Mapping[str, str]) -> None:
        """Keep what is new; sorted, so that two that record the same do not wait for each other crosswise."""
        pairs = sorted(message_ids.items())
        async with self._database.joined() as connection:
            await connection.execute(
                "insert into external_messages (space_id, chat_id, external_id, message_id)"
                " select %s, %s, pair.external_id, pair.message_id"
                "   from unnest(%s::text[], %s::text[]) as pair (external_id, message_id)"
                " on conflict do nothing",
                [space, chat_id, [external for external, _ in pairs], [message for _, message in pairs]],
            )

    async def unembedded(self, model: str, *, limit: int, space: SpaceId | None = None) -> list[Unembedded]:
        """Those without any vector come from an index of just them; those of other models by going over the spaces."""
        values = {"limit": limit, "space": space}
        async with self._database.transaction() as connection:
            cursor = await connection.execute(
                "select space_id, passage_id from passages where model is null"
                f" {'and space_id = %(space)s' if space is not None else ''}"
                " order by space_id, passage_id limit %(limit)s",
                values,
            )
            found = [(row["space_id"], row["passage_id"]) for row in await cursor.fetchall()]
            if others := await _other_models(connection, model):
                where = "space.space_id = %(space)s" if space is not None else "space.passages > 0"
                cursor = await connection.execute(_OTHERS.format(where=where).encode(), {**values, "others": others})
                found += [(row["space_id"], row["passage_id"]) for row in await cursor.fetchall()]
            wanted = sorted(found)[:limit]
            cursor = await connection.execute(
                "select space_id, passage_id, passages.text"
                "  from unnest(%s::text[], %s::bigint[]) as wanted (space_id, passage_id)"
                "  join passages using (space_id, passage_id)",
                [[space_id for space_id, _ in wanted], [passage_id for _, passage_id in wanted]],
            )
            texts = {(row["space_id"], row["passage_id"]): row["text"] for row in await cursor.fetchall()}
        return [Unembedded(SpaceId(key[0]), key[1], texts[key]) for key in wanted if key in texts]

    async def count_unembedded(self, model: str) -> tuple[int, int]:
        """By counting those without a vector and those of other models: few, but while a model is being changed."""
        async with self._database.transaction() as connection:
            others = await _other_models(connection, model)
            row = await _one(
                connection,
                "select (select coalesce(sum(passages), 0)::bigint from passage_spaces) as total,"
                " (select count(*) from passages where model is null) as bare,"
                " (select count(*) from unnest(%(others)s::text[]) as other (model) cross join passage_spaces as space"
                "  join passages on passages.space_id = space.space_id and passages.model = other.model) as others",
                {"others": others},
            )
        return row["bare"] + row["others"], row["total"]

    async def set_vectors(self, space: SpaceId, model: str, vectors: Mapping[int, NDArray[np.float32]]) -> int:
        """Replace vectors, all or none."""
        if not vectors:
            return 0
        embeddings = {passage_id: Halfvec(packed(vector)) for passage_id, vector in sorted(vectors.items())}
        async with self._database.transaction() as connection:
            revision = await _next_revision(connection, space)
            await self._check_dimension(model, {len(vector) for vector in vectors.values()})
            async with connection.cursor() as cursor:
                cursor.adapters.register_dumper(Halfvec, HalfvecDumper)
                await cursor.executemany(
                    "update passages set model = %s, embedding = %b::halfvec, revision = %s"
                    " where space_id = %s and passage_id = %s",
                    [[model, embedding, revision, space, passage_id] for passage_id, embedding in embeddings.items()],
                )
                changed = cursor.rowcount
            if changed:
                await _move(connection, space, revision)
            return changed

    async def forget_removals(self, before: datetime) -> int:
        """Drop records, and note in their spaces up to where."""
        async with self._database.transaction() as connection:
            return int((await _one(connection, _FORGET, {"before": before}))["count"])

    async def _remove(self, space: SpaceId, which: str, values: dict[str, Any]) -> int:
        async with self._database.transaction() as connection:
            await _next_revision(connection, space)
            gone = await _one(
                connection,
                _REMOVE.format(which=which),
                {**values, "space": space, "now": self._clock.now()},
            )
            return int(gone["count"])

    async def _check_dimension(self, model: str, lengths: set[int], dimension: int | None = None) -> None:
        if dimension is None:
            dimension = await self._models.register(model, min(lengths), self._clock.now())
        if wrong := lengths - {dimension}:
            raise DimensionMismatch(
                f"the embedding model {model} has vectors of {dimension} here, and one of {min(wrong)} came"
            )


def _lengths(passages: Sequence[NewPassage]) -> dict[str, set[int]]:
    lengths: dict[str, set[int]] = defaultdict(set)
    for passage in passages:
        if passage.vector is not None and passage.model is not None:
            lengths[passage.model].add(len(passage.vector))
    return lengths


@functools.lru_cache
def _states(spaces: int) -> bytes:
    places = ", ".join(f"${number}" for number in range(1, spaces + 1)) or "null"
    return f"select space_id, revision, passages from passage_spaces where space_id in ({places})".encode()


def _read_states(spaces: Sequence[SpaceId], rows: Sequence[Texts]) -> dict[SpaceId, SpaceState]:
    known = {space: SpaceState(int(revision or 0), int(count or 0)) for space, revision, count in rows}
    return {space: known.get(space, SpaceState(0, 0)) for space in spaces}


async def _one(connection: Connection, query: str, values: dict[str, Any]) -> DictRow:
    cursor = await connection.execute(query.encode(), values)
    row = await cursor.fetchone()
    if row is None:
        raise LookupError(query)
    return row


async def _next_revision(connection: Connection, space: SpaceId) -> int:
    """Wait for other writers of the space; what a statement after this one reads, none of them can change any more."""
    cursor = await connection.execute("select revision from passage_spaces where space_id = %s for update", [space])
    row = await cursor.fetchone()
    return int(row["revision"]) + 1 if row is not None else 1


async def _move(connection: Connection, space: SpaceId, revision: int) -> None:
    await connection.execute("update passage_spaces set revision = %s where space_id = %s", [revision, space])


async def _other_models(connection: Connection, model: str) -> list[str]:
    cursor = await connection.execute(
        "select model from embedding_models where space_id = %s and model <> %s", [GLOBAL_SPACE, model]
    )
    return [row["model"] for row in await cursor.fetchall()]


def _row(
    space: SpaceId, passage_id: int, revision: int, passage: NewPassage, embedding: bytes | None
) -> tuple[Any, ...]:
    return (
        space, passage_id, revision, revision, passage.at, passage.until, passage.start, passage.end, passage.words,
        passage.signs, passage.kind, passage.chat_id, passage.message_id, passage.role, passage.speaker,
        list(passage.tags), passage.category, Jsonb(passage.origin), passage.terms, passage.text, passage.model,
        embedding,
    )  # fmt: skip


def _embedding_of(passage: NewPassage) -> bytes | None:
    if (passage.vector is None) != (passage.model is None):
        raise BadInput("vector", "comes with the model that made it, or not at all")
    return packed(passage.vector) if passage.vector is not None else None


def _passage(row: tuple[Any, ...]) -> Passage:
    *first, tags, category, origin, until, vector = row
    numbers = unpacked(vector) if vector is not None else None
    values = (*first, tuple(tags or ()), category, origin or {}, until, numbers)
    return Passage(*values)


def _columns(batch: DictRow, dimension: int) -> Columns:
    if batch["ids"] is None:
        return _empty(dimension)
    embedded = _numbers(batch["embedded"], "?", np.bool_)
    given = _numbers(batch["vectors"], ">f2", np.float16).reshape(-1, dimension)
    vectors = given
    if len(given) < len(embedded):
        vectors = np.zeros((len(embedded), dimension), np.float16)
        vectors[embedded] = given
    return Columns(
        ids=_numbers(batch["ids"], ">i8", np.int64),
        kinds=batch["kinds"],
        terms=batch["terms"],
        at=_seconds(batch["at"]),
        until=_seconds(batch["until"]),
        signs=_numbers(batch["signs"], ">i2", np.int16),
        words=_numbers(batch["words"], ">i4", np.int32),
        chat_ids=batch["chat_ids"],
        roles=batch["roles"],
        speakers=batch["speakers"],
        tags=[json.loads(tags) if tags is not None else () for tags in batch["tags"]],
        categories=batch["categories"],
        vectors=vectors,
        embedded=embedded,
        details=_details(batch) if "texts" in batch else None,
    )


def _details(batch: DictRow) -> Details:
    return Details(
        texts=batch["texts"],
        starts=_numbers(batch["starts"], ">i4", np.int32),
        ends=_numbers(batch["ends"], ">i4", np.int32),
        message_ids=batch["message_ids"],
        origins=[json.loads(origin) if origin is not None else {} for origin in batch["origins"]],
    )


def _empty(dimension: int) -> Columns:
    none: list[Any] = []
    whole, real = np.zeros(0, np.int32), np.zeros(0, np.float64)
    return Columns(
        np.zeros(0, np.int64), none, none, real, real, np.zeros(0, np.int16), whole, none, none, none, none, none,
        np.zeros((0, dimension), np.float16), np.zeros(0, np.bool_), Details(none, whole, whole, none, none),
    )  # fmt: skip


def _numbers(raw: bytes | None, sent: str, kept: type[Number]) -> NDArray[Number]:
    return np.frombuffer(raw or b"", sent).astype(kept)


def _seconds(raw: bytes) -> NDArray[np.float64]:
    counted = _numbers(raw, ">i8", np.int64)
    endless = counted == np.iinfo(np.int64).max
    return np.where(endless, np.inf, (np.where(endless, 0, counted) + _YEAR_2000) / 1e6)
