"""German, Spanish, French and Chinese, each with a smaller book of rules than English."""
