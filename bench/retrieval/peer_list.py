"""The peers, each with the setting that serves it best where its own default does badly here."""

from bench.retrieval.side_by_side import Runner

PEERS = (
    Runner("mem0", "mem0", "mem0", "mem0ai", remark=", FAISS, `infer=False`"),
    Runner("Chroma", "chroma", "chroma", "chromadb"),
    Runner("txtai", "txtai", "txtai", "txtai", remark=", hybrid, in memory"),
    Runner("txtai", "txtai", "txtai", "txtai", settings={"BENCH_SAVED": "1"}, remark=", hybrid, saved"),
    Runner("LangGraph store", "langgraph", "langgraph", "langgraph-checkpoint", remark=", in memory"),
    Runner(
        "LangGraph store", "langgraph_postgres", "langgraph_postgres", "langgraph-checkpoint-postgres",
        remark=", Postgres",
    ),
    Runner("Hindsight", "hindsight", "hindsight", "hindsight-api-slim", needs_embeddings=True, remark=", no LLM, RRF"),
    Runner(
        "Hindsight", "hindsight", "hindsight", "hindsight-api-slim",
        needs_embeddings=True,
        # without a model its graph links near neighbours only, and its fusion then puts those above the hits; and
        # a liking for what is new is not what these questions ask for
        settings={
            "HINDSIGHT_API_ENABLE_GRAPH_RETRIEVAL": "false",
            "HINDSIGHT_API_RECENCY_DECAY_FUNCTION": "none",
        },
        remark=", graph and recency off",
    ),
)  # fmt: skip
