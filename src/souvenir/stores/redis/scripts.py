"""The Lua that runs inside Redis: one script for each method that must be one step.

A script sees no other client's step in between, and all of its writes reach the append-only file together. It touches
only keys that it is given (KEYS), all of one space and so of one slot: that is what a Cluster can check and move.

KEYS are always, in this order and as far as a script needs them:
  1 chats     hash  chat id -> the chat as JSON
  2 activity  sorted set, all scores 0, of `time|chat id`: the chats by activity
  3 ids       sorted set, all scores 0, of one chat's message ids
  4 messages  hash  message id -> the message as JSON
  5 writes    list of the newest 16 writes of one chat, each as JSON: its name, then the ids it gave

The first write of a script is one that a full Redis refuses (HSET, ZADD), so that what is refused changed nothing.
"""

import hashlib
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Script:
    """A Lua script and the digest by which a server that has seen it before knows it."""

    text: str
    sha: str = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "sha", digest(self.text.encode()))


def digest(value: bytes) -> str:
    """SHA-1 in hex, as `redis.sha1hex` gives it."""
    return hashlib.sha1(value, usedforsecurity=False).hexdigest()


# Lua's own < follows the server's locale, in some of which Z comes before T; ids and times are compared by their bytes
_LESS = """
local function less(a, b)
  for i = 1, math.min(#a, #b) do
    local x, y = a:byte(i), b:byte(i)
    if x ~= y then return x < y end
  end
  return #a < #b
end
"""

# a chat's place in the list moves up with its activity and never down
_SAVE = (
    _LESS
    + """
local function save(chat_id, chat, now)
  local before = chat.updated_at
  if before == nil or less(before, now) then chat.updated_at = now end
  redis.call('HSET', KEYS[1], chat_id, cjson.encode(chat))
  redis.call('ZADD', KEYS[2], 0, chat.updated_at .. '|' .. chat_id)
  if before and before ~= chat.updated_at then redis.call('ZREM', KEYS[2], before .. '|' .. chat_id) end
end
"""
)

# the id right after another, as Crockford's digits count
_AFTER = """
local digits = '0123456789ABCDEFGHJKMNPQRSTVWXYZ'
local function after(id)
  for place = #id, 1, -1 do
    local at = digits:find(id:sub(place, place), 1, true)
    if at < #digits then
      return id:sub(1, place - 1) .. digits:sub(at + 1, at + 1) .. string.rep('0', #id - place)
    end
  end
end
"""

# ARGV: chat id, '1' to create, now, title, last message, name of this write, then id and stored message in turn.
# Returns {'done', id, id, ...} with the ids the messages have now, or {'missing'}. An id that would not be greater than
# the one before it gives way to the next one. A write sent again, because its answer was lost, is known by its name.
APPEND = Script(
    _SAVE
    + _AFTER
    + """
local chat_id, now, write = ARGV[1], ARGV[3], ARGV[6]
local raw = redis.call('HGET', KEYS[1], chat_id)
local chat
if raw then
  for _, done in ipairs(redis.call('LRANGE', KEYS[5], 0, -1)) do
    local found = cjson.decode(done)
    if found[1] == write then
      found[1] = 'done'
      return found
    end
  end
  chat = cjson.decode(raw)
elseif ARGV[2] == '1' then
  chat = {title = '', created_at = now, message_count = 0, summary = '', summarized_until = cjson.null}
else
  return {'missing'}
end
local ids, last = {}, chat.last_message_id
for i = 7, #ARGV, 2 do
  local id = ARGV[i]
  if last and not less(last, id) then id = after(last) end
  ids[#ids + 1], last = id, id
end
if chat.title == '' then chat.title = ARGV[4] end
chat.last_message = ARGV[5]
chat.message_count = chat.message_count + #ids
chat.last_message_id = last
save(chat_id, chat, now)
for i = 1, #ids do
  redis.call('ZADD', KEYS[3], 0, ids[i])
  redis.call('HSET', KEYS[4], ids[i], ARGV[6 + 2 * i])
end
redis.call('LPUSH', KEYS[5], cjson.encode({write, unpack(ids)}))
redis.call('LTRIM', KEYS[5], 0, 15)
return {'done', unpack(ids)}
"""
)

# ARGV: chat id, message id, digest of the message as it was read, the new message, now, beginning of its content.
# Returns {'done'}, {'missing'}, or {'changed', message} when it is no longer the one that was read.
UPDATE = Script(
    _SAVE
    + """
local chat_id, message_id = ARGV[1], ARGV[2]
local raw = redis.call('HGET', KEYS[1], chat_id)
local message = redis.call('HGET', KEYS[4], message_id)
if not raw or not message then return {'missing'} end
if message == ARGV[4] then return {'done'} end
if redis.sha1hex(message) ~= ARGV[3] then return {'changed', message} end
local chat = cjson.decode(raw)
if chat.last_message_id == message_id then chat.last_message = ARGV[6] end
save(chat_id, chat, ARGV[5])
redis.call('HSET', KEYS[4], message_id, ARGV[4])
return {'done'}
"""
)

# ARGV: most chats, '+' or '(time|chat id' to begin behind. Returns {1 if there are more, id, chat, id, chat, ...}.
LIST_CHATS = Script("""
local limit = tonumber(ARGV[1])
local places = redis.call('ZREVRANGEBYLEX', KEYS[2], ARGV[2], '-', 'LIMIT', 0, limit + 1)
local page = {#places > limit and 1 or 0}
for i = 1, math.min(#places, limit) do
  local chat_id = places[i]:sub(29)
  page[#page + 1] = chat_id
  page[#page + 1] = redis.call('HGET', KEYS[1], chat_id)
end
return page
""")

# ARGV: chat id, most messages, '+' or '(message id' to begin before. Returns nil when there is no such chat, else
# {1 if there are more, id, message, id, message, ...}.
LIST_MESSAGES = Script("""
if redis.call('HEXISTS', KEYS[1], ARGV[1]) == 0 then return false end
local limit = tonumber(ARGV[2])
local ids = redis.call('ZREVRANGEBYLEX', KEYS[3], ARGV[3], '-', 'LIMIT', 0, limit + 1)
local page = {#ids > limit and 1 or 0}
for i = 1, math.min(#ids, limit) do
  page[#page + 1] = ids[i]
  page[#page + 1] = redis.call('HGET', KEYS[4], ids[i])
end
return page
""")

# ARGV: chat id, title. Returns the chat, nil when there is none.
RENAME = Script("""
local raw = redis.call('HGET', KEYS[1], ARGV[1])
if not raw then return false end
local chat = cjson.decode(raw)
chat.title = ARGV[2]
raw = cjson.encode(chat)
redis.call('HSET', KEYS[1], ARGV[1], raw)
return raw
""")

# ARGV: chat id, summary, message id. Returns 1 when the summary now reaches there, 0 when nothing changed.
FOLD = Script(
    _LESS
    + """
local raw = redis.call('HGET', KEYS[1], ARGV[1])
if not raw then return 0 end
local chat = cjson.decode(raw)
if chat.summarized_until ~= cjson.null and not less(chat.summarized_until, ARGV[3]) then return 0 end
chat.summary = ARGV[2]
chat.summarized_until = ARGV[3]
redis.call('HSET', KEYS[1], ARGV[1], cjson.encode(chat))
return 1
"""
)

# ARGV: chat id. Returns 1 when there was one. UNLINK frees a long chat in the background.
DELETE = Script("""
local raw = redis.call('HGET', KEYS[1], ARGV[1])
if not raw then return 0 end
redis.call('HDEL', KEYS[1], ARGV[1])
redis.call('ZREM', KEYS[2], cjson.decode(raw).updated_at .. '|' .. ARGV[1])
redis.call('UNLINK', KEYS[3], KEYS[4], KEYS[5])
return 1
""")

# ARGV: chat id, the chat, its updated_at, then id and stored message in turn.
PUT = Script("""
local chat_id, place = ARGV[1], ARGV[3] .. '|' .. ARGV[1]
local raw = redis.call('HGET', KEYS[1], chat_id)
redis.call('HSET', KEYS[1], chat_id, ARGV[2])
redis.call('ZADD', KEYS[2], 0, place)
if raw then
  local before = cjson.decode(raw).updated_at .. '|' .. chat_id
  if before ~= place then redis.call('ZREM', KEYS[2], before) end
end
for i = 4, #ARGV, 2 do
  redis.call('ZADD', KEYS[3], 0, ARGV[i])
  redis.call('HSET', KEYS[4], ARGV[i], ARGV[i + 1])
end
return 1
""")
