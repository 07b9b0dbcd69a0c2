"""What kernels need beyond numba: arrays without reference counts, a bit count, and rows written as whole vectors.

numba counts references to every array of a named tuple whenever a compiled function takes it or hands it on, with
atomic instructions: for the tables of a ruleset that costs more than a step of a game. A borrowed tuple is the same
tuple without owners, so there is nothing to count.

The copies below move 16 float32 or 64 bytes at a time, whatever the row's length: a row is written from its start on,
and what is written past the end of a part is overwritten by the next part or the next row. The memory ends `SLACK`
entries later than the last row. None of them checks bounds: only private kernels call them, on memory of this kind.
"""

from __future__ import annotations

from collections.abc import Callable
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


def _address(context: Any, builder: Any, array_type: Any, array: Any, index: Any, content: Any) -> Any:
    entry = builder.gep(context.make_array(array_type)(context, builder, array).data, [index])
    return builder.bitcast(entry, content.as_pointer())


def load_as(context: Any, builder: Any, array_type: Any, array: Any, index: Any, content: Any, align: int) -> Any:
    """Code that reads a value of the machine type `content` from entry `index` of a flat array on."""
    value = builder.load(_address(context, builder, array_type, array, index, content))
    value.align = align
    return value


def store_as(context: Any, builder: Any, array_type: Any, array: Any, index: Any, value: Any, align: int) -> Any:
    """Code that writes a value from entry `index` of a flat array on; gives back what a kernel returns for None."""
    builder.store(value, _address(context, builder, array_type, array, index, value.type)).align = align
    return context.get_dummy_value()


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
        parts: Any = numba_type
        for index, part in enumerate(parts):
            bare = _without_owner(context, builder, part, builder.extract_value(value, index))
            value = builder.insert_value(value, bare, index)
    return value


@intrinsic
def put(typing_context: Any, memory: Any, value: Any) -> Any:
    """Writes where a tuple of arrays lies, borrowed, into a flat array of at least `room(value)` int64."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        bare = _without_owner(context, builder, signature.args[1], arguments[1])
        start = context.get_constant(types.intp, 0)
        return store_as(context, builder, signature.args[0], arguments[0], start, bare, 8)

    return types.void(memory, value), generate


@intrinsic
def room(typing_context: Any, value: Any) -> Any:
    """How many int64 `put` writes."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        size = context.get_abi_sizeof(context.get_value_type(signature.args[0]))
        return context.get_constant(types.int64, -(-size // 8))

    return types.int64(value), generate


def taker(type_of_value: Callable[[], Any]) -> Any:
    """Makes the function `take(memory)` that gives back, in a kernel, what `put` wrote.

    Taking apart a tuple of forty arrays whenever Python calls a kernel costs more than a step of a game; one array
    that knows where they lie costs nearly nothing. Whoever holds it must hold the arrays too.

    Args:
        type_of_value: called when a kernel is compiled; returns the numba type of what was written.
    """

    @intrinsic
    def take(typing_context: Any, memory: Any) -> Any:
        value_type = type_of_value()

        def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            start = context.get_constant(types.intp, 0)
            vector = context.get_value_type(value_type)
            return load_as(context, builder, signature.args[0], arguments[0], start, vector, 8)

        return value_type(memory), generate

    return take


@intrinsic
def count_bits(typing_context: Any, bits: Any) -> Any:
    """How many bits of a whole number are set."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.ctpop(arguments[0])

    return types.int64(types.int64), generate


@intrinsic
def peek(typing_context: Any, table: Any, index: Any) -> Any:
    """Entry `index` of a table in C order, counted row by row, as int64; negative indices do not wrap around."""
    if not (isinstance(table, types.Array) and table.layout == "C" and isinstance(table.dtype, types.Integer)):
        return None

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        array = context.make_array(signature.args[0])(context, builder, arguments[0])
        entry = builder.load(builder.gep(array.data, [arguments[1]]))
        return context.cast(builder, entry, signature.args[0].dtype, types.int64)

    return types.int64(table, types.intp), generate


def _copier(vector: Any, align: int) -> Any:
    """Makes the function that copies a vector between flat arrays."""

    @intrinsic
    def copy(typing_context: Any, to: Any, at: Any, source: Any, start: Any) -> Any:
        def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            to, at, source, start = arguments
            value = load_as(context, builder, signature.args[2], source, start, vector, align)
            return store_as(context, builder, signature.args[0], to, at, value, align)

        return types.void(to, types.intp, source, types.intp), generate

    return copy


def _flagger(vector: Any, align: int) -> Any:
    """Makes the function that writes the low bits of a whole number, one to an entry, to a flat array."""

    @intrinsic
    def flag(typing_context: Any, to: Any, at: Any, bits: Any) -> Any:
        def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            to, at, bits = arguments
            convert = builder.zext if isinstance(vector.element, ir.IntType) else builder.uitofp
            value = convert(_flags(builder, bits, vector.count), vector)
            return store_as(context, builder, signature.args[0], to, at, value, align)

        return types.void(to, types.intp, types.int64), generate

    return flag


copy_floats = _copier(_FLOATS, 4)
"""`copy_floats(to, at, source, start)` copies 16 float32 between flat arrays."""
copy_bytes = _copier(_BYTES, 1)
"""`copy_bytes(to, at, source, start)` copies 64 int8 between flat arrays."""
flag_floats = _flagger(_FLOATS, 4)
"""`flag_floats(to, at, bits)` writes the low 16 bits of a whole number as float32."""
flag_bytes = _flagger(_BYTES, 1)
"""`flag_bytes(to, at, bits)` writes the 64 bits of a whole number as int8."""


@intrinsic
def flagged_floats(typing_context: Any, to: Any, at: Any, source: Any, start: Any, bits: Any) -> Any:
    """Copies those of 16 float32 whose bit is set and writes 0 for the others."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        to, at, source, start, bits = arguments
        value = load_as(context, builder, signature.args[2], source, start, _FLOATS, 4)
        value = builder.select(_flags(builder, bits, 16), value, ir.Constant(_FLOATS, None))
        return store_as(context, builder, signature.args[0], to, at, value, 4)

    return types.void(to, types.intp, source, types.intp, types.int64), generate


def _flags(builder: Any, bits: Any, count: int) -> Any:
    if count < 64:
        bits = builder.trunc(bits, ir.IntType(count))
    return builder.bitcast(bits, ir.VectorType(ir.IntType(1), count))
