"""Every counter and histogram of one running program, in a registry of its own."""

import math

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram

_FAST = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.2, 0.3, 0.5, 1.0, 2.5, 5.0, 10.0)
_SLOW = (0.05, 0.1, 0.25, 0.5, 1.0, 2.0, 5.0, 10.0, 20.0, 60.0, 120.0)


class Metrics:
    """The instruments, by what they measure. One instance belongs to one program; nothing here is global."""

    def __init__(self) -> None:
        self.registry = CollectorRegistry()
        r = self.registry
        self.http_seconds = Histogram(
            "souvenir_http_request_seconds",
            "Time to the last byte of a response",
            ["method", "route", "status"],
            buckets=(*_FAST, 30.0, 120.0),
            registry=r,
        )
        self.http_running = Gauge("souvenir_http_requests_running", "Requests being served now", registry=r)
        self.embed_seconds = Histogram(
            "souvenir_embed_seconds", "Time to embed one call's texts", ["model"], buckets=_FAST, registry=r
        )
        self.embed_texts = Counter("souvenir_embed_texts", "Texts embedded", ["model"], registry=r)
        self.embed_tokens = Counter("souvenir_embed_tokens", "Tokens read by the embedder", ["model"], registry=r)
        self.embed_windowed = Counter(
            "souvenir_embed_windowed_texts",
            "Texts longer than the model's window, read in several windows",
            ["model"],
            registry=r,
        )
        self.embed_errors = Counter("souvenir_embed_errors", "Calls to the embedder that failed", ["model"], registry=r)
        self.embed_cache = Counter(
            "souvenir_embed_cache", "Single-text embeddings by cache result", ["result"], registry=r
        )
        self.rerank_seconds = Histogram(
            "souvenir_rerank_seconds", "Time a reranker took, failed or not", ["reranker"], buckets=_FAST, registry=r
        )
        self.rerank_fallbacks = Counter(
            "souvenir_rerank_fallbacks",
            "Searches that kept their order because the reranker gave no usable one",
            ["reranker", "reason"],
            registry=r,
        )
        self.provider_seconds = Histogram(
            "souvenir_provider_seconds",
            "Time of a chat model's answer; kind is first_token or whole",
            ["provider", "kind"],
            buckets=_SLOW,
            registry=r,
        )
        self.provider_tokens = Counter(
            "souvenir_provider_tokens", "Tokens as the provider counts them", ["provider", "kind"], registry=r
        )
        self.provider_errors = Counter(
            "souvenir_provider_errors", "Failed calls to a chat model", ["provider", "reason"], registry=r
        )
        self.jobs_finished = Counter(
            "souvenir_jobs_finished", "Jobs this process ran, by outcome", ["task", "outcome"], registry=r
        )
        self.jobs_waiting = Gauge("souvenir_jobs_waiting", "Jobs that wait to be run", registry=r)
        self.jobs_oldest_seconds = Gauge("souvenir_jobs_oldest_seconds", "Age of the oldest job waiting", registry=r)
        self.jobs_failed = Gauge("souvenir_jobs_failed", "Jobs that failed for good and wait for a person", registry=r)
        self.search_seconds = Histogram(
            "souvenir_search_seconds", "Time of a whole search, its embedding included", buckets=_FAST, registry=r
        )
        self.search_hits = Counter(
            "souvenir_searches", "Searches by outcome: found, empty, degraded", ["outcome"], registry=r
        )
        self.recall_cache = Counter(
            "souvenir_recall_cache", "Times memory was looked up for an answer, by cache result", ["result"], registry=r
        )
        self.turn_failures = Counter(
            "souvenir_turn_failures", "Stages of a turn that failed or took too long", ["stage"], registry=r
        )
        self.indexed_passages = Counter("souvenir_indexed_passages", "Passages written", ["kind"], registry=r)
        self.index_bytes = Gauge("souvenir_index_bytes", "Memory of the space indexes of this process", registry=r)
        self.index_spaces = Gauge("souvenir_index_spaces", "Spaces this process holds in memory", registry=r)
        self.index_reads = Counter(
            "souvenir_index_reads", "Times a space was read: whole, or only what changed", ["what"], registry=r
        )
        self.index_evictions = Counter("souvenir_index_evictions", "Space indexes let go for want of room", registry=r)
        self.memory_decisions = Counter(
            "souvenir_memory_decisions",
            "Candidates by what became of them and who found them",
            ["action", "path"],
            registry=r,
        )
        self.memory_confidence = Histogram(
            "souvenir_memory_confidence",
            "Confidence of what was remembered",
            buckets=(0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 1.0),
            registry=r,
        )
        self.memory_tokens = Counter("souvenir_memory_tokens", "Tokens spent on memory", ["purpose"], registry=r)
        self.memory_fallbacks = Counter(
            "souvenir_memory_fallbacks", "Times rules did what a model was asked for", ["step"], registry=r
        )
        self.memory_total = Gauge("souvenir_memory_total_count", "Active memories of all users", registry=r)
        self.memory_replacement_rate = Gauge(
            "souvenir_memory_replacement_rate", "Share of candidates that replaced a memory", registry=r
        )
        self.memory_dedup_rate = Gauge(
            "souvenir_memory_dedup_rate", "Share of candidates that were known already", registry=r
        )
        self.memory_window_share = Histogram(
            "souvenir_memory_window_share",
            "Memory's share of the model's context window, per answer",
            buckets=(0.01, 0.02, 0.05, 0.1, 0.15, 0.2, 0.3, 0.5, 1.0),
            registry=r,
        )
        self.retrieval_hit_rate = Gauge(
            "souvenir_retrieval_hit_rate", "Share of this process's searches that found something", registry=r
        )
        self.retrieval_hit_rate.set_function(self._hit_rate)
        self.auth_refused = Counter("souvenir_auth_refused", "Requests answered with 401", registry=r)

    def _hit_rate(self) -> float:
        """No number while nobody has searched."""
        outcomes = {
            sample.labels["outcome"]: sample.value
            for metric in self.search_hits.collect()
            for sample in metric.samples
            if sample.name.endswith("_total")
        }
        found = outcomes.get("found", 0.0)
        looked = found + outcomes.get("empty", 0.0)
        return found / looked if looked else math.nan
