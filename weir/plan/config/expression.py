"""Formulas and rules of suites: a small, safe part of Python over parameters, sizes and the target. Only what
stands here runs, and every formula and number is bounded.
"""

import ast
import operator
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from weir.base.errors import did_you_mean
from weir.base.units import SIZE_UNITS, TIME_UNITS, HintedError, parse_duration, parse_size
from weir.plan.config.yaml_file import LARGEST_NUMBER

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


_QUOTED = re.compile(r"('[^']*'|\"[^\"]*\")")
_QUANTITY = re.compile(r"(?<![\w.])([0-9]+(?:\.[0-9]+)?)\s*([A-Za-z]+)\b(?!\s*\()")
_KEYWORDS = ("and", "or", "not", "in", "if", "else", "is")
_GRAMMAR = (
    "allowed: numbers, sizes, quoted text, parameters, + - * / // %, comparisons, and or not in, min, max"
)
_LIMITS = f"at most {MOST_CHARACTERS:,} characters, {MOST_PARTS} parts, nested {MOST_DEPTH} deep"


class ExpressionError(HintedError):
    """An expression that cannot be understood, or not computed."""


@dataclass(frozen=True)
class Scope:
    """The names an expression may use, and the values that a name can be compared with."""

    names: frozenset[str]
    choices: Mapping[str, tuple[str, ...]]  # the values of names that hold one or several of them
    numbers: frozenset[str]  # names that hold numbers


@dataclass(frozen=True)
class Expression:
    """A checked formula or rule; fields of the target are names with a dot, such as target.kind."""

    text: str
    names: frozenset[str]
    _compute: Compute = field(repr=False, compare=False)

    def value(self, values: Mapping[str, Any]) -> Any:
        """The result of the expression for these values of its names."""
        try:
            return self._compute(values)
        except (TypeError, ZeroDivisionError, ValueError, OverflowError) as error:
            at = ", ".join(f"{name} = {values[name]!r}" for name in sorted(self.names))
            raise ExpressionError(f"'{self.text}' cannot be computed: {error}", f"here {at}") from error


def parse_expression(text: str, scope: Scope) -> Expression:
    """The expression, or an ExpressionError that describes what is wrong with it."""
    tree = _TargetFields(text).visit(_parsed(text))
    used: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Call):
            _check_call(node, text)
        elif isinstance(node, ast.Name) and node.id not in FUNCTIONS:
            if node.id not in scope.names:
                raise ExpressionError(
                    f"'{text}' uses the unknown name '{node.id}'", did_you_mean(node.id, scope.names)
                )
            used.add(node.id)
        elif isinstance(node, ast.Compare):
            _check_comparison(node, text, scope)
        elif isinstance(node, ast.BinOp) and any(_is_text(side) for side in (node.left, node.right)):
            raise ExpressionError(
                f"'{text}' computes with text", "only numbers and sizes can be computed with"
            )
    try:
        return Expression(text, frozenset(used), compiled(tree))
    except NotAllowedError as error:
        raise ExpressionError(f"'{text}' uses {error}, which is not allowed", _GRAMMAR) from error
    except (TypeError, OverflowError) as error:
        raise ExpressionError(f"'{text}' cannot be computed: {error}", _GRAMMAR) from error


def _parsed(text: str) -> ast.expr:
    """The formula as a tree of few parts."""
    if len(text) > MOST_CHARACTERS:
        raise ExpressionError(f"'{text[:40]}...' has {len(text):,} characters", _LIMITS)
    numbers = _numbers_for_quantities(text).strip()
    try:
        tree = ast.parse(numbers, mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:  # a NUL: ValueError before 3.11.4
        hint = "compare with '==', not with '='" if re.search(r"[^=<>!]=[^=]", text) else _GRAMMAR
        raise ExpressionError(f"'{text}' is not a valid expression", hint) from error
    parts, depth = parts_and_depth(tree)
    if parts > MOST_PARTS or depth > MOST_DEPTH:
        raise ExpressionError(f"'{text}' has {parts} parts, nested {depth} deep", _LIMITS)
    return tree


class _TargetFields(ast.NodeTransformer):
    """target.kind becomes one name, and text that is a size its bytes."""

    def __init__(self, text: str) -> None:
        self.text = text

    def visit_Attribute(self, node: ast.Attribute) -> ast.AST:
        if not isinstance(node.value, ast.Name) or node.value.id != "target":
            raise ExpressionError(
                f"'{self.text}' uses '.{node.attr}'", "only the target has fields, such as target.kind"
            )
        return ast.copy_location(ast.Name(f"target.{node.attr}", ast.Load()), node)

    def visit_Constant(self, node: ast.Constant) -> ast.AST:
        if isinstance(node.value, str):
            try:
                return ast.copy_location(ast.Constant(parse_size(node.value)), node)
            except HintedError:
                return node
        if not isinstance(node.value, (int, float)):
            raise ExpressionError(f"'{self.text}' uses {node.value!r}, which is not allowed", _GRAMMAR)
        return node


def _numbers_for_quantities(text: str) -> str:
    """8 MiB and 60 s outside quotes become numbers of bytes and seconds; true and false become Python's."""
    parts = _QUOTED.split(text)
    for index in range(0, len(parts), 2):
        parts[index] = _QUANTITY.sub(_number, parts[index])
        parts[index] = re.sub(r"\b(true|false)\b", lambda match: match[1].capitalize(), parts[index])
    return "".join(parts)


def _number(match: re.Match[str]) -> str:
    if match[2] in _KEYWORDS:
        return match[0]
    try:
        return str(parse_duration(match[0]) if match[2] in TIME_UNITS else parse_size(match[0]))
    except HintedError as error:
        units = f"units: {', '.join([*SIZE_UNITS, *TIME_UNITS])}"
        is_near = error.hint is not None and error.hint.startswith("did")
        raise ExpressionError(str(error), error.hint if is_near else units) from error


def _check_call(node: ast.Call, text: str) -> None:
    name = node.func.id if isinstance(node.func, ast.Name) else "?"
    if name not in FUNCTIONS or node.keywords:
        raise ExpressionError(f"'{text}' calls '{name}'", did_you_mean(name, FUNCTIONS))
    if len(node.args) < 2:
        raise ExpressionError(f"'{text}' gives {name} fewer than two values", f"write {name}(a, b)")


def _check_comparison(node: ast.Compare, text: str, scope: Scope) -> None:
    """A value that the parameter can never hold would make a rule that never matches."""
    sides = [node.left, *node.comparators]
    names = [side.id for side in sides if isinstance(side, ast.Name)]
    for word in (word for side in sides for word in _texts(side)):
        for name in names:
            if name in scope.choices and word not in scope.choices[name]:
                hint = did_you_mean(word, scope.choices[name])
                raise ExpressionError(f"'{text}' compares {name} with '{word}', which it never is", hint)
            if name in scope.numbers:
                raise ExpressionError(
                    f"'{text}' compares the number {name} with the text '{word}'", "write a number or a size"
                )


def _texts(node: ast.expr) -> Iterable[str]:
    items = node.elts if isinstance(node, (ast.Tuple, ast.List)) else [node]
    return [item.value for item in items if isinstance(item, ast.Constant) and isinstance(item.value, str)]


def _is_text(node: ast.expr) -> bool:
    return isinstance(node, (ast.List, ast.Tuple)) or (
        isinstance(node, ast.Constant) and isinstance(node.value, str)
    )
