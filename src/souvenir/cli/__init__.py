"""The command line: one file per command group, calling what the API calls."""
