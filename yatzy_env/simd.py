"""Sixteen float64 side by side, the unit in which turns are computed.

A block is a flat array of rows of `LANES` numbers: one row per multiset of dice, one lane per card. Every step of a
turn is a few additions or maxima of whole rows. Written as loops over arrays, such steps vectorise only behind run-time
checks that the rows do not overlap, which cost as much as the work itself. So `Lanes` is a numba type of its own that
becomes one vector value in machine code, whatever the width of the processor's registers. No operation is reordered, so
results do not depend on the machine's vectors.

Nothing here checks bounds: only private kernels call it, on tables they made themselves.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from llvmlite import ir  # type: ignore[import-untyped]
from numba import types
from numba.extending import models, register_model

from yatzy_env.kernel import kernel
from yatzy_env.native import intrinsic, load_as, store_as

LANES = 16
_CACHE_LINE = 8  # float64 in 64 bytes

_VECTOR = ir.VectorType(ir.DoubleType(), LANES)
_INDICES = ir.VectorType(ir.IntType(32), LANES)


class LanesType(types.Type):
    """The numba type of a value of `LANES` float64."""

    def __init__(self) -> None:
        super().__init__(name=f"Lanes({LANES})")


_LANES_TYPE = LanesType()


@register_model(LanesType)
class _LanesModel(models.PrimitiveModel):
    def __init__(self, manager: Any, lanes_type: LanesType) -> None:
        super().__init__(manager, lanes_type, _VECTOR)


def _is_flat(array: Any) -> bool:
    return isinstance(array, types.Array) and array.ndim == 1 and array.layout == "C" and array.dtype == types.float64


@intrinsic
def load(typing_context: Any, array: Any, start: Any) -> Any:
    """The `LANES` numbers of a flat float64 array from index `start` on."""
    if not _is_flat(array):
        return None

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        array, start = arguments
        return load_as(context, builder, signature.args[0], array, start, _VECTOR, 8)

    return _LANES_TYPE(array, types.intp), generate


@intrinsic
def store(typing_context: Any, array: Any, start: Any, lanes: Any) -> Any:
    """Writes lanes to a flat float64 array from index `start` on."""
    if not _is_flat(array):
        return None

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        array, start, lanes = arguments
        return store_as(context, builder, signature.args[0], array, start, lanes, 8)

    return types.void(array, types.intp, _LANES_TYPE), generate


@intrinsic
def spread(typing_context: Any, number: Any) -> Any:
    """The same number in every lane."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        first = builder.insert_element(ir.Constant(_VECTOR, ir.Undefined), arguments[0], ir.IntType(32)(0))
        return builder.shuffle_vector(first, first, ir.Constant(_INDICES, [0] * LANES))

    return _LANES_TYPE(types.float64), generate


@intrinsic
def larger(typing_context: Any, first: Any, second: Any) -> Any:
    """Lane by lane the larger of two; there are no nan among them."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        first, second = arguments
        return builder.select(builder.fcmp_ordered(">", second, first), second, first)

    return _LANES_TYPE(_LANES_TYPE, _LANES_TYPE), generate


@intrinsic
def where_at_least(typing_context: Any, value: Any, limit: Any, yes: Any, no: Any) -> Any:
    """Lane by lane `yes` where the value is at least the limit, elsewhere `no`."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        value, limit, yes, no = arguments
        return builder.select(builder.fcmp_ordered(">=", value, limit), yes, no)

    return _LANES_TYPE(_LANES_TYPE, _LANES_TYPE, _LANES_TYPE, _LANES_TYPE), generate


@intrinsic
def plus(typing_context: Any, first: Any, second: Any) -> Any:
    """Lane by lane the sum of two."""
    return _LANES_TYPE(_LANES_TYPE, _LANES_TYPE), lambda context, builder, signature, pair: builder.fadd(*pair)


@intrinsic
def minus(typing_context: Any, first: Any, second: Any) -> Any:
    """Lane by lane the first less the second."""
    return _LANES_TYPE(_LANES_TYPE, _LANES_TYPE), lambda context, builder, signature, pair: builder.fsub(*pair)


@intrinsic
def times(typing_context: Any, first: Any, second: Any) -> Any:
    """Lane by lane the product of two."""
    return _LANES_TYPE(_LANES_TYPE, _LANES_TYPE), lambda context, builder, signature, pair: builder.fmul(*pair)


@kernel
def new_rows(length: int) -> Any:
    """A flat float64 array of zeros that starts on a cache line, so that no row straddles one more than it must."""
    memory = np.zeros(length + _CACHE_LINE)
    skip = -(memory.ctypes.data // 8) % _CACHE_LINE
    return memory[skip : skip + length]
