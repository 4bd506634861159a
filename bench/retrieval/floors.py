"""What anything must beat: plain BM25 and plain vectors, run as the peers are."""

from bench.retrieval.side_by_side import Runner

BM25 = Runner("plain BM25, bm25s", "bm25", "bm25", "bm25s")
VECTORS = Runner("plain vectors", "vectors", "bm25")
FLOORS = (BM25, VECTORS)
