"""`python -m bench.retrieval`: how well Souvenir, plain BM25 and plain vectors find; `--peers` adds the peers."""

from bench.retrieval.compare import main

if __name__ == "__main__":
    main()
