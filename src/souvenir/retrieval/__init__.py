"""Search: one scoring function over everything remembered."""
