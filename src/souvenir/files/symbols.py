"""Where code defines what: functions, classes and the like, by tree-sitter's grammars."""

import functools
import importlib
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import tree_sitter

_MODULES = {
    "python": "tree_sitter_python", "javascript": "tree_sitter_javascript", "typescript": "tree_sitter_typescript",
    "tsx": "tree_sitter_typescript", "java": "tree_sitter_java", "go": "tree_sitter_go", "rust": "tree_sitter_rust",
    "c": "tree_sitter_c", "cpp": "tree_sitter_cpp", "c_sharp": "tree_sitter_c_sharp", "ruby": "tree_sitter_ruby",
    "php": "tree_sitter_php", "bash": "tree_sitter_bash",
}  # fmt: skip
_NAMED = {"typescript": "language_typescript", "tsx": "language_tsx", "php": "language_php"}
_DEFINITIONS = {
    "function_definition", "class_definition", "function_declaration", "class_declaration", "method_definition",
    "method_declaration", "constructor_declaration", "interface_declaration", "enum_declaration", "struct_declaration",
    "record_declaration", "namespace_declaration", "function_item", "struct_item", "enum_item", "trait_item",
    "impl_item", "mod_item", "class_specifier", "struct_specifier", "namespace_definition", "class", "module",
    "method", "singleton_method", "type_spec", "generator_function_declaration", "abstract_class_declaration",
    "internal_module", "trait_declaration",
}  # fmt: skip
# what is not looked into: most of a tree is this, and hardly ever defines anything with a name
_LEAVES = {
    "expression_statement", "assignment", "call", "call_expression", "string", "comment", "parameters",
    "argument_list", "return_statement", "import_statement", "import_from_statement", "identifier", "assert_statement",
    "raise_statement", "parameter_list", "formal_parameters", "field_declaration", "preproc_include", "preproc_def",
}  # fmt: skip
_SHORTEST = 8  # bytes that can hold a definition
_NAME_CHARS = 100


@dataclass(frozen=True, slots=True)
class Symbol:
    """A definition: its characters and its name with those it lies in, as in `Class.method`."""

    start: int
    end: int
    name: str


@functools.cache
def grammar(language: str) -> Any:
    """The grammar of a language, as tree-sitter and the splitter take it."""
    module = importlib.import_module(_MODULES[language])
    return getattr(module, _NAMED.get(language, "language"))()


def symbols_of(text: str, language: str) -> list[Symbol]:
    """The definitions in a text, in the order in which they begin, outer ones first."""
    data = text.encode("utf-8")
    tree = tree_sitter.Parser(tree_sitter.Language(grammar(language))).parse(data)
    place = _places(text, data)
    found: list[Symbol] = []
    waiting: list[tuple[tree_sitter.Node, str]] = [(tree.root_node, "")]
    while waiting:
        node, around = waiting.pop()
        name = around
        if node.type in _DEFINITIONS and (own := _name(node)):
            name = f"{around}.{own}" if around else own
            outer = node.parent if node.parent is not None and node.parent.type == "decorated_definition" else node
            found.append(Symbol(place(outer.start_byte), place(outer.end_byte), name))
        waiting += [
            (child, name)
            for child in reversed(node.named_children)
            if child.end_byte - child.start_byte >= _SHORTEST and child.type not in _LEAVES
        ]
    return found


def _name(node: tree_sitter.Node) -> str | None:
    named = node.child_by_field_name("name") or node.child_by_field_name("declarator")
    while named is not None and (deeper := named.child_by_field_name("declarator")) is not None:
        named = deeper
    named = named or node.child_by_field_name("type")
    if named is None or named.text is None:
        return None
    return " ".join(named.text.decode("utf-8", "replace").split())[:_NAME_CHARS] or None


def _places(text: str, data: bytes) -> Callable[[int], int]:
    """From a byte of the UTF-8 to a character of the text."""
    if len(text) == len(data):
        return lambda byte: byte
    begun = np.cumsum((np.frombuffer(data, np.uint8) & 0xC0) != 0x80)
    return lambda byte: int(begun[byte - 1]) if byte else 0
