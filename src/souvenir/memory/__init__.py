"""What is remembered about people, what replaces what, and for how long."""
