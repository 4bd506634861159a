"""Reads files of every common format into text that knows its structure."""
