"""MiniLM as an ONNX graph, built from its tensors: token ids and mask in, unit vectors out.

Attention is ONNX Runtime's fused operator; the rest is plain, because the runtime fuses bias and GELU itself and its
plain LayerNormalization is faster on a CPU than its fused SkipLayerNormalization. Measured on 2 cores, for one query
and for batches: up to 8% less time than an all-plain or an all-fused graph, and never more.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import onnxruntime as ort
from numpy.typing import NDArray
from onnx import TensorProto, helper, numpy_helper

from souvenir.embed.port import Vectors

Tensors = Mapping[str, NDArray[np.float32]]
Ids = NDArray[np.int32]

WIDTH = 384
LAYERS = 6
VOCABULARY = 30_522
_HEADS = 12
_INNER = 1_536
_POSITIONS = 512
_EPSILON = 1e-12
_OPSET = 20
_IR_VERSION = 9
_FUSED = "com.microsoft"


def shapes() -> dict[str, tuple[int, ...]]:
    """The tensors the graph needs, with their shapes."""
    needed: dict[str, tuple[int, ...]] = {
        "embeddings.word_embeddings.weight": (VOCABULARY, WIDTH),
        "embeddings.position_embeddings.weight": (_POSITIONS, WIDTH),
        "embeddings.token_type_embeddings.weight": (2, WIDTH),
        **_pair("embeddings.LayerNorm", (WIDTH,)),
    }
    for layer in (f"encoder.layer.{number}" for number in range(LAYERS)):
        for part in ("query", "key", "value"):
            needed |= _pair(f"{layer}.attention.self.{part}", (WIDTH, WIDTH))
        needed |= _pair(f"{layer}.attention.output.dense", (WIDTH, WIDTH))
        needed |= _pair(f"{layer}.attention.output.LayerNorm", (WIDTH,))
        needed |= _pair(f"{layer}.intermediate.dense", (_INNER, WIDTH))
        needed |= _pair(f"{layer}.output.dense", (WIDTH, _INNER))
        needed |= _pair(f"{layer}.output.LayerNorm", (WIDTH,))
    return needed


def _pair(name: str, weight: tuple[int, ...]) -> dict[str, tuple[int, ...]]:
    return {f"{name}.weight": weight, f"{name}.bias": weight[:1]}


class MiniLmSession:
    """The graph on ONNX Runtime. `run` may be called from one thread at a time."""

    def __init__(self, tensors: Tensors, threads: int) -> None:
        graph = _Graph(tensors)
        # the runtime reads these arrays in place, so they live as long as the session
        self._weights = {name: ort.OrtValue.ortvalue_from_numpy(array) for name, array in graph.weights.items()}
        options = _options(threads)
        options.add_external_initializers(list(self._weights), list(self._weights.values()))
        self._session = ort.InferenceSession(graph.model(), options, providers=["CPUExecutionProvider"])

    def run(self, batch: Sequence[Ids]) -> Vectors:
        """One unit vector per row of token ids; the rows may differ in length."""
        ids = np.zeros((len(batch), max(len(row) for row in batch)), dtype=np.int32)
        mask = np.zeros_like(ids)
        for index, row in enumerate(batch):
            ids[index, : len(row)] = row
            mask[index, : len(row)] = 1
        vectors: Vectors = self._session.run(None, {"ids": ids, "mask": mask})[0]
        return vectors


def _options(threads: int) -> Any:
    options = ort.SessionOptions()
    options.intra_op_num_threads = threads
    options.inter_op_num_threads = 1
    options.log_severity_level = 3
    options.graph_optimization_level = ort.GraphOptimizationLevel.ORT_ENABLE_ALL
    # it caches a plan per input shape, and here nearly every shape is new
    options.enable_mem_pattern = False
    # spinning saves 0.5 ms of a query on an idle machine, and costs twice the CPU time and twice the p95 of a busy one
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    return options


class _Graph:
    """Nodes, and the arrays they read. Every method that adds a node returns the name of its output."""

    def __init__(self, tensors: Tensors) -> None:
        self.weights: dict[str, NDArray[np.float32]] = {}
        self._tensors = tensors
        self._constants: list[Any] = []
        self._nodes: list[Any] = []
        hidden = self._embeddings()
        for number in range(LAYERS):
            hidden = self._layer(f"encoder.layer.{number}", hidden)
        self._pool(hidden)

    def model(self) -> bytes:
        """The graph alone: the weights are only named in it, which spares a protobuf of 90 MB."""
        inputs = [
            helper.make_tensor_value_info(name, TensorProto.INT32, ["batch", "tokens"]) for name in ("ids", "mask")
        ]
        output = helper.make_tensor_value_info("vectors", TensorProto.FLOAT, ["batch", WIDTH])
        named = [_placeholder(name, array) for name, array in self.weights.items()]
        graph = helper.make_graph(self._nodes, "all-MiniLM-L6-v2", inputs, [output], [*self._constants, *named])
        opsets = [helper.make_opsetid("", _OPSET), helper.make_opsetid(_FUSED, 1)]
        content: bytes = helper.make_model(graph, opset_imports=opsets, ir_version=_IR_VERSION).SerializeToString()
        return content

    def _embeddings(self) -> str:
        positions = self._tensors["embeddings.position_embeddings.weight"]
        # every token is of type 0, so that row is added to the positions once and for all
        positions = positions + self._tensors["embeddings.token_type_embeddings.weight"][0]
        words = self._add("Gather", self._weight("embeddings.word_embeddings.weight"), "ids")
        zero, length = self._constant([0]), self._add("Shape", "ids", start=1, end=2)
        places = self._add("Slice", self._hold("positions", positions), zero, length, zero)
        return self._norm("embeddings.LayerNorm", words, places)

    def _layer(self, name: str, hidden: str) -> str:
        attended = self._linear(f"{name}.attention.output.dense", self._attention(f"{name}.attention.self", hidden))
        hidden = self._norm(f"{name}.attention.output.LayerNorm", attended, hidden)
        inner = self._add("Gelu", self._linear(f"{name}.intermediate.dense", hidden))
        return self._norm(f"{name}.output.LayerNorm", self._linear(f"{name}.output.dense", inner), hidden)

    def _attention(self, name: str, hidden: str) -> str:
        parts = [f"{name}.{part}" for part in ("query", "key", "value")]
        weight = np.concatenate([self._tensors[f"{part}.weight"].T for part in parts], axis=1)
        bias = np.concatenate([self._tensors[f"{part}.bias"] for part in parts])
        held = self._hold(f"{name}.weight", weight), self._hold(f"{name}.bias", bias)
        return self._add("Attention", hidden, *held, "mask", domain=_FUSED, num_heads=_HEADS)

    def _linear(self, name: str, hidden: str) -> str:
        weight = self._hold(f"{name}.weight", self._tensors[f"{name}.weight"].T)
        return self._add("Add", self._add("MatMul", hidden, weight), self._weight(f"{name}.bias"))

    def _norm(self, name: str, hidden: str, residual: str) -> str:
        scale, shift = self._weight(f"{name}.weight"), self._weight(f"{name}.bias")
        total = self._add("Add", hidden, residual)
        return self._add("LayerNormalization", total, scale, shift, axis=-1, epsilon=_EPSILON)

    def _pool(self, hidden: str) -> None:
        """The masked sum; dividing it by the token count would not outlive the normalisation."""
        axis = self._constant([1])
        mask = self._add("Unsqueeze", self._add("Cast", "mask", to=TensorProto.FLOAT), axis)
        total = self._add("Squeeze", self._add("MatMul", mask, hidden), axis)
        self._add("LpNormalization", total, output="vectors", axis=-1, p=2)

    def _add(self, operator: str, *inputs: str, output: str = "", domain: str = "", **attributes: Any) -> str:
        output = output or f"{operator}_{len(self._nodes)}"
        self._nodes.append(helper.make_node(operator, inputs, [output], domain=domain, **attributes))
        return output

    def _weight(self, name: str) -> str:
        return self._hold(name, self._tensors[name])

    def _hold(self, name: str, array: NDArray[np.float32]) -> str:
        self.weights[name] = np.ascontiguousarray(array, dtype=np.float32)
        return name

    def _constant(self, values: list[int]) -> str:
        name = f"constant_{len(self._constants)}"
        self._constants.append(numpy_helper.from_array(np.array(values, dtype=np.int64), name))
        return name


def _placeholder(name: str, array: NDArray[np.float32]) -> Any:
    tensor = TensorProto(name=name, data_type=TensorProto.FLOAT, dims=array.shape, data_location=TensorProto.EXTERNAL)
    tensor.external_data.add(key="location", value="handed over in memory")
    return tensor
