"""What callers hand in, read in one place each: whole numbers, seeds and actions.

A whole number is any Python or numpy integer, or what says by `__index__` that it is one; booleans, floats and texts
are none. Everything is read before anything changes.
"""

from __future__ import annotations

from collections.abc import Sequence
from operator import index as as_index
from typing import Any

import numpy as np
from numpy.typing import NDArray

from yatzy_env.dice import key
from yatzy_env.errors import IllegalActionError, YatzyError, shown

_KEYS = 2**64


def whole_number(
    name: str, value: object, low: int, high: int | None = None, error: type[YatzyError] = YatzyError
) -> int:
    """A whole number as a plain int, from `low` to `high`, both included, or without an upper bound.

    Raises:
        YatzyError: of the kind `error`, naming the value and what is allowed.
    """
    number = _integer(value)
    if number is None or number < low or (high is not None and number > high):
        span = f"from {low}" if high is None else f"from {low} to {high}"
        raise error(f"{name} = {shown(value)}; allowed: a whole number {span}")
    return number


def seed_key(seed: object, name: str = "seed") -> int:
    """The key of the dice for a seed: the seed itself, or a hash of it from 2**64 on.

    Raises:
        YatzyError: if it is not a whole number from 0.
    """
    number = whole_number(name, seed, 0)
    return number if number < _KEYS else key("seed", number)


def own_seed(env: Any) -> int:
    """The seed of an environment that was given none: its generator's, or one drawn from a generator put in."""
    seed = int(env.np_random_seed)
    return seed if seed >= 0 else int(env.np_random.integers(2**63))


def seed_keys(seed: object, size: int) -> NDArray[np.uint64]:
    """The keys of so many envs, (size,): env i has that of seed + i, or of entry i of a sequence of seeds.

    Raises:
        YatzyError: for anything else than a whole number from 0, or as many of them as there are envs.
    """
    given = seed.tolist() if isinstance(seed, np.ndarray) else seed
    if isinstance(given, Sequence) and not isinstance(given, str | bytes):
        if len(given) != size:
            raise YatzyError(f"seed has {len(given)} entries; allowed: a number, or one number per env ({size})")
        return np.array([seed_key(each, f"seed[{env}]") for env, each in enumerate(given)], np.uint64)
    first = whole_number("seed", given, 0)
    if first + size <= _KEYS:
        return np.uint64(first) + np.arange(size, dtype=np.uint64)
    return np.array([seed_key(first + env) for env in range(size)], np.uint64)


def action_index(actions: int, action: object) -> int:
    """The index of an action as a plain int, out of so many actions.

    Raises:
        IllegalActionError: if it is not a whole number of the action space.
    """
    index = _integer(action)
    if index is None:
        raise IllegalActionError(f"action {shown(action)} is not a number of an action; allowed: 0 to {actions - 1}")
    if not 0 <= index < actions:
        raise IllegalActionError(f"action {shown(action)} is outside the action space 0..{actions - 1}")
    return index


def action_array(actions: int, size: int, given: Any) -> NDArray[np.int64]:
    """The indices of an action per env, (size,), out of so many actions.

    Those of an array of integers may still lie outside the action space: kernels look at each of them anyway, and
    `action_index` says what is wrong with one.

    Raises:
        IllegalActionError: for anything that is not `size` whole numbers.
    """
    if type(given) is np.ndarray and given.dtype == np.int64 and given.shape == (size,):  # the usual case, quickly
        return np.ascontiguousarray(given)
    array = np.array(given, object) if isinstance(given, list | tuple) else np.asarray(given)
    if array.dtype.kind == "O" and array.ndim:  # a list is looked at one by one: numpy would make a number of True
        array = np.array([action_index(actions, action) for action in array.tolist()], np.int64)
    if array.dtype.kind not in "iu":
        raise IllegalActionError(f"actions = {shown(given)}; allowed: whole numbers from 0 to {actions - 1}")
    if array.shape != (size,):
        raise IllegalActionError(f"actions has shape {array.shape}; allowed: ({size},)")
    return np.ascontiguousarray(array, np.int64)


def _integer(value: Any) -> int | None:
    if isinstance(value, bool):
        return None
    try:
        return as_index(value)
    except TypeError:
        return None
