"""The turn: from a message to an answer."""
