"""Every figure we claim, as a command."""
