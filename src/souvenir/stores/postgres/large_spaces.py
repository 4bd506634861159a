"""Spaces too large for memory in Postgres: indexes of one space each, made when it needs them, and looks through them.

An index of one space is a partial one (`where space_id = '…'`), which the planner uses only for statements that name
the space in their text. So the space and the model are written into statements as quoted literals; all else is bound.
"""

import asyncio
import functools
import hashlib
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from datetime import datetime
from typing import Any

import numpy as np
import psycopg
import structlog
from psycopg import sql
from psycopg.rows import DictRow

from souvenir.errors import Unavailable
from souvenir.stores.passage_ports import Columns, Further, Glimpses, Look, Narrowing, Survey
from souvenir.stores.postgres.database import Connection, PostgresDatabase, refuse_erased
from souvenir.stores.postgres.passages import _columns, _numbers, _seconds
from souvenir.types import SpaceId

log = structlog.get_logger(__name__)

_COMMON = 100  # holders; a term with fewer is counted when it is asked about
_UNCOUNTED = 2000  # where counting such a term ends: it became common since the latest count
_WEIGHED_TERMS = 16  # of a question, by weight; the rest of a pasted page does not change what is worth a second look
_LONGEST_INDEXED = 4000  # numbers of a half precision vector, a limit of pgvector's
_WIDEST_SCAN = 1000  # another one: hnsw.ef_search
_SCANNED = 20_000  # vectors looked at for those that pass a filter, before all that pass are read instead
_BUILD_BYTES = (64 * 2**20, 2 * 2**30)
_GRAPH_BYTES = 600  # of a passage in an index of vectors, beside its vector
_WAIT_SECONDS = 0.5

_GLIMPSES = """
select string_agg(int8send(passage_id), ''::bytea) as ids,
       string_agg(int8send(coalesce(hashtextextended(chat_id, 0), 0)), ''::bytea) as chats,
       string_agg(timestamptz_send(at), ''::bytea) as at,
       string_agg(boolsend(coalesce(role = 'assistant', false)), ''::bytea) as assistant,
       string_agg(boolsend(coalesce(named, false)), ''::bytea) as named,
       string_agg(int2send(signs), ''::bytea) as signs,
       string_agg(int4send(words), ''::bytea) as words,
       string_agg(float4send(coalesce(cosine, 'nan')::real), ''::bytea) as cosines,
       string_agg(float4send(({share})::real), ''::bytea) as shares
  from ({passages}) as passage
"""

_GLIMPSE = """
(select passage_id, chat_id, at, role, signs, words, ' ' || terms || ' ' as terms,
        {named} as named,
        case when model = {model} then -({vector} <#> {asked}) end as cosine
   from passages where {where})
"""

_COLUMNS = """
select string_agg(int8send(passage_id), ''::bytea order by passage_id) as ids,
       string_agg(timestamptz_send(at), ''::bytea order by passage_id) as at,
       string_agg(timestamptz_send(coalesce(until, 'infinity')), ''::bytea order by passage_id) as until,
       string_agg(int2send(signs), ''::bytea order by passage_id) as signs,
       string_agg(int4send(words), ''::bytea order by passage_id) as words,
       array_agg(kind order by passage_id) as kinds,
       array_agg(terms order by passage_id) as terms,
       array_agg(stretch order by passage_id) as chat_ids,
       array_agg(role order by passage_id) as roles,
       array_agg(speaker order by passage_id) as speakers,
       array_agg(category order by passage_id) as categories,
       array_agg(case when tags <> '{{}}' then array_to_json(tags)::text end order by passage_id) as tags,
       string_agg(boolsend(cosine is not null), ''::bytea order by passage_id) as embedded,
       string_agg(case when cosine is not null then substr(halfvec_send(array[cosine]::real[]::halfvec), 5) end,
                  ''::bytea order by passage_id) as vectors
  from ({passages}) as passage
"""
_AROUND_COLUMNS = """
       passages.passage_id, at, until, signs, words, kind, terms, role, speaker, category, tags,
       case when model = {model} then coalesce(-({vector} <#> {asked}), 0) end as cosine
"""

# windows that share a passage become one stretch; only what stands in one stretch is known to have no gap
_AROUND = """
with wanted as (
    select passage_id, chat_id from passages where space_id = {space} and passage_id = any(%(ids)s::bigint[])),
span as materialized (
    select chat_id,
           (select min(passage_id) from (
                select passage_id from passages
                 where space_id = {space} and chat_id = wanted.chat_id and passage_id <= wanted.passage_id
                 order by passage_id desc limit %(reach)s + 1) as before) as first,
           (select max(passage_id) from (
                select passage_id from passages
                 where space_id = {space} and chat_id = wanted.chat_id and passage_id >= wanted.passage_id
                 order by passage_id limit %(reach)s + 1) as after) as last
      from wanted where chat_id is not null),
begun as (
    select *, first > max(last) over (partition by chat_id order by first, last
                                      rows between unbounded preceding and 1 preceding) is not false as begins
      from span),
numbered as (
    select *, count(*) filter (where begins) over (partition by chat_id order by first, last) as number from begun),
stretch as (
    select chat_id, number, min(first) as first, max(last) as last from numbered group by chat_id, number)
select {columns}, stretch.number || ' ' || passages.chat_id as stretch
  from stretch join passages on passages.space_id = {space} and passages.chat_id = stretch.chat_id
                            and passages.passage_id between stretch.first and stretch.last
 union all
select {columns}, null
  from wanted join passages on passages.space_id = {space} and passages.passage_id = wanted.passage_id
 where wanted.chat_id is null
"""

_SURVEY = """
select space.passages, large.average, large.counted, large.generation, large.model,
       (select max(at) from passages where {visible}) as newest,
       (select json_object_agg(asked.term, known.holders)
          from unnest(%(terms)s::text[]) as asked (term)
          left join large_space_terms as known on known.space_id = {space} and known.term = asked.term) as holders
  from passage_spaces as space left join large_spaces as large using (space_id)
 where space.space_id = {space}
"""

_RARE = """
select asked.term,
       (select count(*) from (
            select from passages where space_id = {space} and string_to_array(terms, ' ') @> array[asked.term]
             limit %(most)s) as holder) as holders
  from unnest(%(terms)s::text[]) as asked (term)
"""

_COUNT = """
with word as (
    select term, count(*) as holders
      from passages cross join lateral (select distinct unnest(string_to_array(terms, ' ')) as term) as own
     where space_id = %(space)s group by term having count(*) >= %(common)s)
insert into large_space_terms (space_id, term, holders) select %(space)s, term, holders from word
"""

_COUNTED = """
insert into large_spaces (space_id, generation, counted, average)
select %(space)s, 1, count(*), coalesce(avg(cardinality(string_to_array(terms, ' '))), 0)
  from passages where space_id = %(space)s
    on conflict (space_id) do update set generation = large_spaces.generation + 1, counted = excluded.counted,
                                         average = excluded.average
"""


class PostgresLargeSpaceStore:
    """The LargeSpaceStore on Postgres."""

    def __init__(self, database: PostgresDatabase) -> None:
        self._database = database

    async def survey(self, space: SpaceId, terms: Sequence[str], only: Narrowing, asked_at: datetime) -> Survey:
        """What was counted, in one round trip; rare terms are counted now, in a second one."""
        visible, values = _visible(space, only.as_of, asked_at)
        parts = {"space": _literal(space), "visible": " and ".join(visible)}
        async with self._looking() as connection:
            row = await _row(connection, _SURVEY.format(**parts), {**values, "terms": list(terms)})
            if row is None:
                return Survey(0, 0.0, dict.fromkeys(terms, 0), None, 0, 0, None)
            if row["generation"] is None:
                average, holders = await _scanned(connection, space, terms)
                return Survey(row["passages"], average, holders, row["newest"], 0, 0, None)
            now, then = row["passages"], max(row["counted"], 1)
            known = {term: count for term, count in (row["holders"] or {}).items() if count is not None}
            holders = {term: min(now, max(1, round(count * now / then))) for term, count in known.items()}
            if rare := [term for term in terms if term not in known]:
                values = {"terms": rare, "most": _UNCOUNTED}
                cursor = await connection.execute(_RARE.format(space=_literal(space)).encode(), values)
                holders |= {found["term"]: found["holders"] for found in await cursor.fetchall()}
            return Survey(now, row["average"], holders, row["newest"], row["counted"], row["generation"], row["model"])

    async def nearest(self, space: SpaceId, look: Look, count: int, further: Further | None = None) -> Glimpses:
        """By the index of vectors; when too few of those it comes upon pass, by reading all that pass."""
        where, values = _where(space, look, further)
        where.append(f"model = {_literal(look.model)}")
        ordered = f"{_vector(look.dimension)} <#> {_asked(look)}"
        query = _glimpses(look, f"{' and '.join(where)} order by {ordered} limit %(count)s")
        async with self._looking(ef_search=count) as connection:
            found = _seen(await _row(connection, query, {**values, "count": count}))
        if len(found.ids) >= count:
            return found
        # few may pass, or they are too far apart for the index to come upon
        async with self._looking(ordered=False) as connection:
            return _seen(await _row(connection, query, {**values, "count": count}))

    async def newest(self, space: SpaceId, look: Look, count: int, further: Further | None = None) -> Glimpses:
        """From the end, as they were written."""
        where, values = _where(space, look, further)
        query = _glimpses(look, f"{' and '.join(where)} order by passage_id desc limit %(count)s")
        async with self._looking() as connection:
            return _seen(await _row(connection, query, {**values, "count": count}))

    async def holders(self, space: SpaceId, look: Look, groups: Sequence[Sequence[str]], most: int) -> Glimpses:
        """By the index of terms, which joins and intersects without reading a passage."""
        where, values = _where(space, look)
        singles = [group[0] for group in groups if len(group) == 1]
        several = [list(group) for group in groups if len(group) > 1]
        values |= {"singles": singles, "most": most} | {f"group{n}": group for n, group in enumerate(several)}
        held = [f"string_to_array(terms, ' ') @> %(group{n})s::text[]" for n in range(len(several))]
        parts = [f"{' and '.join([*where, condition])} limit %(most)s" for condition in held]
        if singles:
            parts.append(" and ".join([*where, "string_to_array(terms, ' ') && %(singles)s::text[]"]))
        if not parts:
            return _seen(None)
        async with self._looking() as connection:
            return _seen(await _row(connection, _glimpses(look, *parts), values))

    async def around(self, space: SpaceId, look: Look, passage_ids: Sequence[int], reach: int) -> Columns:
        """By the index of chats; all in one round trip."""
        columns = _AROUND_COLUMNS.format(model=_literal(look.model), vector=_vector(look.dimension), asked=_asked(look))
        query = _COLUMNS.format(passages=_AROUND.format(space=_literal(space), columns=columns))
        values = {"ids": list(passage_ids), "reach": reach, "vector": _numbers_of(look)}
        async with self._looking() as connection:
            row = await _row(connection, query, values)
        return _columns(row or {"ids": None}, 1)

    async def index(self, space: SpaceId, model: str, dimension: int) -> None:
        """Those of words and times first, since they take seconds; vectors last."""
        async with self._building(space) as connection:
            for name, definition in _indexes(space).items():
                await _create(connection, name, definition)
            await connection.execute("analyze passages")
            passages = await _count_terms(connection, space)
            if dimension <= _LONGEST_INDEXED:
                await self._index_vectors(connection, space, model, dimension, passages)

    async def spaces(self) -> dict[SpaceId, int]:
        """All that are on record."""
        async with self._database.transaction() as connection:
            cursor = await connection.execute(
                "select space_id, coalesce(space.passages, 0) as passages"
                "  from large_spaces left join passage_spaces as space using (space_id)"
            )
            return {SpaceId(row["space_id"]): row["passages"] for row in await cursor.fetchall()}

    async def drop(self, space: SpaceId) -> None:
        """The record first: a look that comes in between expects no index."""
        async with self._building(space) as connection:
            await connection.execute("delete from large_spaces where space_id = %s", [space])
            await connection.execute("delete from large_space_terms where space_id = %s", [space])
            await _drop_others(connection, _prefix(space), keep=())

    async def _index_vectors(
        self, connection: Connection, space: SpaceId, model: str, dimension: int, passages: int
    ) -> None:
        name = f"{_prefix(space)}vectors_{_digest(f'{model} {dimension}')}"
        definition = (
            f"using hnsw (({_vector(dimension)}) halfvec_ip_ops)"
            f" where space_id = {_literal(space, bound=False)} and model = {_literal(model, bound=False)}"
        )
        needed = passages * (2 * dimension + _GRAPH_BYTES)
        kilobytes = min(max(needed, _BUILD_BYTES[0]), _BUILD_BYTES[1]) // 1024
        await connection.execute("select set_config('maintenance_work_mem', %s, false)", [str(kilobytes)])
        try:
            await _create(connection, name, definition)
        except (psycopg.errors.DiskFull, psycopg.errors.OutOfMemory):
            # workers share that memory, and a container may have little to share
            log.warning("the index of vectors is built by one process alone, for want of shared memory")
            await connection.execute("set max_parallel_maintenance_workers = 0")
            await _create(connection, name, definition)
        await connection.execute("update large_spaces set model = %s where space_id = %s", [model, space])
        await _drop_others(connection, f"{_prefix(space)}vectors_", keep=(name,))

    @asynccontextmanager
    async def _looking(self, *, ef_search: int = 0, ordered: bool = True) -> AsyncIterator[Connection]:
        """A transaction to read in. Without `ordered` no index may serve an order, so that all vectors are compared."""
        settings = {
            "jit": "off",
            "max_parallel_workers_per_gather": "0",  # they take longer to start than to help
            "enable_indexscan": "on" if ordered else "off",
            "hnsw.ef_search": str(min(max(ef_search, 40), _WIDEST_SCAN)),
            "hnsw.iterative_scan": "relaxed_order",
            "hnsw.max_scan_tuples": str(_SCANNED),
            "hnsw.scan_mem_multiplier": "8",
        }
        chosen = ", ".join(f"set_config('{name}', '{value}', true)" for name, value in settings.items())
        async with self._database.transaction() as connection:
            async with connection.pipeline():  # in one round trip with what comes next
                await connection.execute(f"select {chosen}".encode())
                yield connection
            if not ordered:  # it may be part of a longer transaction
                await connection.execute("set local enable_indexscan = on")

    @asynccontextmanager
    async def _building(self, space: SpaceId) -> AsyncIterator[Connection]:
        """A connection of its own, outside transactions, that alone builds for the space.

        Whoever waits asks again and again: one that waited inside a statement would be waited for by the index that is
        built `concurrently`, and neither would get on.
        """
        lock = int.from_bytes(hashlib.sha256(f"large {space}".encode()).digest()[:8], "big", signed=True)
        try:
            connection = await psycopg.AsyncConnection.connect(
                self._database.url, autocommit=True, row_factory=psycopg.rows.dict_row
            )
            async with connection:
                # another process holds it: no event tells when it lets go
                while not await _value(connection, "select pg_try_advisory_lock(%s) as value", [lock]):  # noqa: ASYNC110
                    await asyncio.sleep(_WAIT_SECONDS)
                await refuse_erased(connection)
                yield connection
        except (psycopg.OperationalError, psycopg.InterfaceError) as error:
            raise Unavailable("the database does not answer") from error


# statements


def _literal(text: str, *, bound: bool = True) -> str:
    """Quoted for a statement; with `bound`, one whose other values are bound, in which `%` has a meaning."""
    quoted = sql.Literal(text).as_string(None).strip()
    return quoted.replace("%", "%%") if bound else quoted


def _vector(dimension: int) -> str:
    return f"(embedding::halfvec({int(dimension)}))"


def _asked(look: Look) -> str:
    return f"%(vector)s::real[]::halfvec({int(look.dimension)})"


def _numbers_of(look: Look) -> str | None:
    return _written(look.vector.tobytes()) if look.vector is not None else None


@functools.lru_cache(maxsize=64)  # a question is looked up several times
def _written(vector: bytes) -> str:
    """As text: a list of numbers takes the driver longer to send than some looks take."""
    return f"{{{','.join(map(str, np.frombuffer(vector, np.float32).tolist()))}}}"


def _visible(space: SpaceId, as_of: datetime | None, asked_at: datetime) -> tuple[list[str], dict[str, Any]]:
    where = [f"space_id = {_literal(space)}", "(until is null or until > %(moment)s)"]
    if as_of is not None:
        where.append("at <= %(moment)s")
    return where, {"moment": as_of or asked_at}


def _where(space: SpaceId, look: Look, further: Further | None = None) -> tuple[list[str], dict[str, Any]]:
    """What a passage must be, and the values that all looks have."""
    only, further = look.only, further or Further()
    begin, end = further.during or (None, None)
    where, values = _visible(space, only.as_of, look.asked_at)
    for condition, name, value in (
        ("array[kind] && %(kinds)s::text[]", "kinds", sorted(only.kinds)),
        ("array[category] && %(categories)s::text[]", "categories", sorted(only.categories)),
        ("tags && %(tags_any)s::text[]", "tags_any", sorted(only.tags_any)),
        ("tags @> %(tags_all)s::text[]", "tags_all", sorted(only.tags_all)),
        ("chat_id = %(chat)s", "chat", only.chat_id),
        ("at >= %(since)s", "since", only.since),
        ("at < %(until)s", "until", only.until),
        ("at >= %(begin)s", "begin", begin),
        ("at < %(end)s", "end", end),
        ("signs & %(signs)s <> 0", "signs", further.signs or None),
        ("string_to_array(terms, ' ') @> %(holding)s::text[]", "holding", list(further.holding)),
    ):
        if value is not None and value != []:
            where.append(condition)
            values[name] = value
    heaviest = sorted(look.weights, key=lambda term: -look.weights[term])[:_WEIGHED_TERMS]
    values |= {"vector": _numbers_of(look), "names": list(look.names)}
    for place, term in enumerate(heaviest):
        values |= {f"term{place}": f" {term} ", f"weight{place}": float(look.weights[term])}
    return where, values


def _glimpses(look: Look, *where: str) -> str:
    """A statement for passages that meet any of some conditions, each with its own order and limit."""
    weighed = min(len(look.weights), _WEIGHED_TERMS)
    parts = [f"case when strpos(terms, %(term{n})s) > 0 then %(weight{n})s::float8 else 0 end" for n in range(weighed)]
    own = {
        "model": _literal(look.model),
        "vector": _vector(look.dimension),
        "asked": _asked(look),
        "named": "split_part(lower(speaker), ' ', 1) = any(%(names)s::text[])" if look.names else "false",
    }
    passages = "union all".join(_GLIMPSE.format(where=condition, **own) for condition in where)
    return _GLIMPSES.format(share=" + ".join(parts) or "0", passages=passages)


async def _row(connection: Connection, query: str, values: Mapping[str, Any]) -> DictRow | None:
    # never prepared: a plan for any values could not use the indexes of one space
    cursor = connection.cursor(binary=True)
    await cursor.execute(query.encode(), values, prepare=False)
    return await cursor.fetchone()


def _seen(row: DictRow | None) -> Glimpses:
    row = row or dict.fromkeys(("ids", "chats", "at", "assistant", "named", "signs", "words", "cosines", "shares"))
    return Glimpses(
        ids=_numbers(row["ids"], ">i8", np.int64),
        chats=_numbers(row["chats"], ">i8", np.int64),
        at=_seconds(row["at"] or b""),
        assistant=_numbers(row["assistant"], "?", np.bool_),
        named=_numbers(row["named"], "?", np.bool_),
        signs=_numbers(row["signs"], ">i2", np.int16),
        words=_numbers(row["words"], ">i4", np.int32),
        cosines=_numbers(row["cosines"], ">f4", np.float32),
        shares=_numbers(row["shares"], ">f4", np.float32),
    )


async def _scanned(connection: Connection, space: SpaceId, terms: Sequence[str]) -> tuple[float, dict[str, int]]:
    """The same by reading everything, for a space that was never counted."""
    counts = [f"count(*) filter (where strpos(' ' || terms || ' ', %(term{n})s) > 0)" for n in range(len(terms))]
    chosen = ", ".join(f"{count} as count{n}" for n, count in enumerate(counts))
    query = (
        f"select avg(cardinality(string_to_array(terms, ' ')))::float8 as average{', ' if chosen else ''}{chosen}"
        f" from passages where space_id = {_literal(space)}"
    )
    row = await _row(connection, query, {f"term{n}": f" {term} " for n, term in enumerate(terms)})
    if row is None:
        raise LookupError(space)
    return float(row["average"] or 0), {term: row[f"count{n}"] for n, term in enumerate(terms)}


# building


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def _prefix(space: SpaceId) -> str:
    return f"large_{_digest(space)}_"


def _indexes(space: SpaceId) -> dict[str, str]:
    """Of turns in their chats, of times, of standing wishes, and of words and labels."""
    own = f"where space_id = {_literal(space, bound=False)}"
    labels = "(string_to_array(terms, ' ')), tags, (array[kind]), (array[category])"
    return {
        f"{_prefix(space)}chats": f"(chat_id, passage_id) {own}",
        f"{_prefix(space)}times": f"(at) {own}",
        f"{_prefix(space)}words": f"using gin ({labels}) with (fastupdate = off) {own}",
    }


async def _create(connection: Connection, name: str, definition: str) -> None:
    """Build an index unless it is there; one that somebody began and did not finish is built anew."""
    left = "select 1 as value from pg_index where indexrelid = to_regclass(%s) and not indisvalid"
    if await _value(connection, left, [name]):
        await connection.execute(f"drop index concurrently if exists {name}".encode())
    await connection.execute(f"create index concurrently if not exists {name} on passages {definition}".encode())


async def _drop_others(connection: Connection, prefix: str, keep: Sequence[str]) -> None:
    cursor = await connection.execute(
        "select relname from pg_class where relkind = 'i' and starts_with(relname, %s) and relname <> all(%s)",
        [prefix, list(keep)],
    )
    for row in await cursor.fetchall():
        await connection.execute(f"drop index concurrently if exists {row['relname']}".encode())


async def _count_terms(connection: Connection, space: SpaceId) -> int:
    async with connection.transaction():
        await connection.execute("delete from large_space_terms where space_id = %s", [space])
        await connection.execute(_COUNT.encode(), {"space": space, "common": _COMMON})
        await connection.execute(_COUNTED.encode(), {"space": space})
        return int(await _value(connection, "select counted as value from large_spaces where space_id = %s", [space]))


async def _value(connection: Connection, query: str, values: Sequence[Any]) -> Any:
    row = await (await connection.execute(query.encode(), values)).fetchone()
    return row["value"] if row is not None else None
