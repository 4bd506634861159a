"""Chats in Redis: AOF persistence, keys that stay in one slot per space, writes by Lua."""
