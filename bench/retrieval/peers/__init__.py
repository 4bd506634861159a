"""Scripts that run in the peers' own environments: only the standard library, numpy and the peer itself are there."""
