"""Who calls: JWTs, API keys, and the spaces a caller may use."""
