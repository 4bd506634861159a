"""Postgres with pgvector: embedded or by URL, its schema, and the stores on it."""
