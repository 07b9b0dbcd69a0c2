"""What kernels need beyond numba: arrays without reference counts, a bit count, and rows written as whole vectors.

numba counts references to every array of a named tuple whenever a compiled function takes it or hands it on, with
atomic instructions: for the tables of a ruleset that costs more than a step of a game. A borrowed tuple is the same
tuple without owners, so there is nothing to count.

The copies below move 16 float32 or 64 bytes at a time, whatever the row's length: a row is written from its start on,
and what is written past the end of a part is overwritten by the next part or the next row. The memory ends `SLACK`
entries later than the last row. None of them checks bounds: only private kernels call them, on memory of this kind.
"""

from __future__ import annotations

from typing import Any

from llvmlite import ir  # type: ignore[import-untyped]
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic as numba_intrinsic

SLACK = 64

intrinsic: Any = numba_intrinsic  # its annotations claim that callers pass the typing context themselves

_FLOATS = ir.VectorType(ir.FloatType(), 16)
_BYTES = ir.VectorType(ir.IntType(8), 64)


def padded(size: int, unit: int = 16) -> int:
    """The size of a row that is copied in whole units."""
    return -(-size // unit) * unit


@intrinsic
def borrow(typing_context: Any, value: Any) -> Any:
    """The same array or tuple of arrays (at any depth) without ownership.

    The caller's own argument keeps the arrays alive, so what is borrowed may be read, written and handed down, but
    never returned to Python nor kept.
    """

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return _without_owner(context, builder, signature.args[0], arguments[0])

    return value(value), generate


def _without_owner(context: Any, builder: Any, numba_type: Any, value: Any) -> Any:
    if isinstance(numba_type, types.Array):
        array = context.make_array(numba_type)(context, builder, value)
        array.meminfo = cgutils.get_null_value(array.meminfo.type)
        array.parent = cgutils.get_null_value(array.parent.type)
        return array._getvalue()
    if isinstance(numba_type, types.BaseTuple):
        for index, part in enumerate(numba_type):
            bare = _without_owner(context, builder, part, builder.extract_value(value, index))
            value = builder.insert_value(value, bare, index)
    return value


@intrinsic
def count_bits(typing_context: Any, bits: Any) -> Any:
    """How many bits of a whole number are set."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.ctpop(arguments[0])

    return types.int64(types.int64), generate


@intrinsic
def copy_floats(typing_context: Any, to: Any, at: Any, source: Any, start: Any) -> Any:
    """Copies 16 float32 between flat arrays."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        value = _load(context, builder, signature.args[2], *arguments[2:], _FLOATS, 4)
        _store(context, builder, signature.args[0], *arguments[:2], value, 4)
        return context.get_dummy_value()

    return types.void(to, types.intp, source, types.intp), generate


@intrinsic
def copy_bytes(typing_context: Any, to: Any, at: Any, source: Any, start: Any) -> Any:
    """Copies 64 int8 between flat arrays."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        value = _load(context, builder, signature.args[2], *arguments[2:], _BYTES, 1)
        _store(context, builder, signature.args[0], *arguments[:2], value, 1)
        return context.get_dummy_value()

    return types.void(to, types.intp, source, types.intp), generate


@intrinsic
def flag_floats(typing_context: Any, to: Any, at: Any, bits: Any) -> Any:
    """Writes the low 16 bits of a whole number as float32."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        value = builder.uitofp(_flags(builder, arguments[2], 16), _FLOATS)
        _store(context, builder, signature.args[0], *arguments[:2], value, 4)
        return context.get_dummy_value()

    return types.void(to, types.intp, types.int64), generate


@intrinsic
def flagged_floats(typing_context: Any, to: Any, at: Any, source: Any, start: Any, bits: Any) -> Any:
    """Copies those of 16 float32 whose bit is set and writes 0 for the others."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        value = _load(context, builder, signature.args[2], *arguments[2:4], _FLOATS, 4)
        value = builder.select(_flags(builder, arguments[4], 16), value, ir.Constant(_FLOATS, None))
        _store(context, builder, signature.args[0], *arguments[:2], value, 4)
        return context.get_dummy_value()

    return types.void(to, types.intp, source, types.intp, types.int64), generate


@intrinsic
def flag_bytes(typing_context: Any, to: Any, at: Any, bits: Any) -> Any:
    """Writes the 64 bits of a whole number as int8."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        value = builder.zext(_flags(builder, arguments[2], 64), _BYTES)
        _store(context, builder, signature.args[0], *arguments[:2], value, 1)
        return context.get_dummy_value()

    return types.void(to, types.intp, types.int64), generate


def _flags(builder: Any, bits: Any, count: int) -> Any:
    if count < 64:
        bits = builder.trunc(bits, ir.IntType(count))
    return builder.bitcast(bits, ir.VectorType(ir.IntType(1), count))


def _address(context: Any, builder: Any, array_type: Any, array: Any, index: Any, vector: Any) -> Any:
    entry = builder.gep(context.make_array(array_type)(context, builder, array).data, [index])
    return builder.bitcast(entry, vector.as_pointer())


def _load(context: Any, builder: Any, array_type: Any, array: Any, index: Any, vector: Any, align: int) -> Any:
    value = builder.load(_address(context, builder, array_type, array, index, vector))
    value.align = align
    return value


def _store(context: Any, builder: Any, array_type: Any, array: Any, index: Any, value: Any, align: int) -> None:
    builder.store(value, _address(context, builder, array_type, array, index, value.type)).align = align
