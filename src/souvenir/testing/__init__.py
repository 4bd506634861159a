"""The public test kit: real engines, scripted servers and helpers, for us and for whoever writes an adapter."""
