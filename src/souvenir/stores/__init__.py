"""Where things are kept: the ports, and a folder for each engine."""
