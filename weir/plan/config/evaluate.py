"""Computes formulas of suites: only what stands here runs, and every formula and number is bounded."""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable, Mapping
from typing import Any

from weir.plan.config.yaml_limits import LARGEST_NUMBER

MOST_CHARACTERS = 2_000
MOST_PARTS = 400
MOST_DEPTH = 30

Compute = Callable[[Mapping[str, Any]], Any]

_ARITHMETIC: Mapping[type[ast.AST], Callable[[Any, Any], Any]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.FloorDiv: operator.floordiv,
    ast.Mod: operator.mod,
}
_COMPARISONS: Mapping[type[ast.AST], Callable[[Any, Any], Any]] = {
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
    ast.In: lambda item, items: item in items,
    ast.NotIn: lambda item, items: item not in items,
}
_SIGNS: Mapping[type[ast.AST], Callable[[Any], Any]] = {ast.USub: operator.neg, ast.UAdd: operator.pos}
FUNCTIONS: Mapping[str, Callable[..., Any]] = {"min": min, "max": max}


class NotAllowedError(ValueError):
    """A part of Python that formulas do not have; its text names the part."""


def number(value: object) -> int | float:
    """The value, if it is a number that a formula may hold."""
    if not isinstance(value, (int, float)):
        raise TypeError(f"{value!r} is not a number")
    if not abs(value) <= LARGEST_NUMBER:  # of no number, too, the comparison is false
        raise OverflowError(f"a number is larger than {LARGEST_NUMBER}")
    return value


def parts_and_depth(tree: ast.AST) -> tuple[int, int]:
    """The number of parts of a parsed formula, and the depth of their nesting."""
    parts, depth, level = 0, 0, [tree]
    while level:
        parts, depth = parts + len(level), depth + 1
        level = [child for node in level for child in ast.iter_child_nodes(node)]
    return parts, depth


def compiled(node: ast.expr) -> Compute:
    """The function that computes the node from the values of names; the depth of the node must be bounded."""
    if isinstance(node, ast.Constant):
        constant = node.value if isinstance(node.value, str) else number(node.value)
        return lambda values: constant
    if isinstance(node, ast.Name):
        name = node.id
        return lambda values: values[name]
    if isinstance(node, (ast.Tuple, ast.List)):
        items = [compiled(item) for item in node.elts]
        return lambda values: [item(values) for item in items]
    if isinstance(node, ast.IfExp):
        test, then, otherwise = compiled(node.test), compiled(node.body), compiled(node.orelse)
        return lambda values: then(values) if test(values) else otherwise(values)
    if isinstance(node, ast.BoolOp):
        return _logic(isinstance(node.op, ast.And), [compiled(item) for item in node.values])
    if isinstance(node, ast.Compare):
        return _comparison(node)
    return _computation(node)


def _computation(node: ast.expr) -> Compute:
    if isinstance(node, ast.UnaryOp):
        operand = compiled(node.operand)
        if isinstance(node.op, ast.Not):
            return lambda values: not operand(values)
        sign = _known(_SIGNS, node.op)
        return lambda values: sign(number(operand(values)))
    if isinstance(node, ast.BinOp):
        combine, left, right = _known(_ARITHMETIC, node.op), compiled(node.left), compiled(node.right)
        return lambda values: number(combine(number(left(values)), number(right(values))))
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
        function, given = FUNCTIONS[node.func.id], [compiled(item) for item in node.args]
        return lambda values: function(*[number(item(values)) for item in given])
    raise NotAllowedError(type(node).__name__)


def _logic(is_and: bool, items: list[Compute]) -> Compute:
    """Combines items as Python does: the first value that decides, else the last value."""

    def compute(values: Mapping[str, Any]) -> Any:
        for item in items:
            value = item(values)
            if bool(value) is not is_and:
                break
        return value

    return compute


def _comparison(node: ast.Compare) -> Compute:
    first = compiled(node.left)
    rest = [
        (_known(_COMPARISONS, sign), compiled(side))
        for sign, side in zip(node.ops, node.comparators, strict=True)
    ]

    def compute(values: Mapping[str, Any]) -> bool:
        left = first(values)
        for compare, side in rest:
            right = side(values)
            if not compare(left, right):
                return False
            left = right
        return True

    return compute


def _known(operations: Mapping[type[ast.AST], Callable[..., Any]], sign: ast.AST) -> Callable[..., Any]:
    if type(sign) not in operations:
        raise NotAllowedError(type(sign).__name__)
    return operations[type(sign)]
