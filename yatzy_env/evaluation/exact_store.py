"""An exact evaluation under way, or finished, as a file, checked completely when read.

The file holds the two layers between which chances flow, the sums so far, and whose evaluation it is. Of a layer only
what has been reached is kept.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from yatzy_env.errors import YatzyError
from yatzy_env.evaluation.exact_cards import Layer
from yatzy_env.files import (
    RESULTS_NUMBER,
    cache_folder,
    check_results_number,
    json_sha256,
    parse_json,
    read_npz,
    sha256,
    write_npz,
)

FORMAT = 1  # goes up with every change of the file or of the order of cards

Packed = dict[str, NDArray[Any]]


def exact_file(key: dict[str, Any]) -> Path:
    """Where the evaluation of this key is kept: in the folder YATZY_ENV_CACHE if that is set, else in your cache."""
    return cache_folder("exact") / f"exact-{json_sha256(key)[:20]}-v{FORMAT}.npz"


def write(path: Path, key: dict[str, Any], numbers: dict[str, float], layers: dict[str, Layer]) -> None:
    """Writes an evaluation; under its final name there is at any time an old file, a complete new one, or none.

    Args:
        path: the file; missing folders are made.
        key: what decides the result; JSON values.
        numbers: how far it is and the sums so far.
        layers: layers by name.

    Raises:
        YatzyError: if it cannot be written.
    """
    fields = {"format": FORMAT, "results_number": RESULTS_NUMBER, "key": key, "numbers": numbers}
    header = json.dumps(fields, sort_keys=True).encode()
    arrays = {f"{name}_{part}": values for name, layer in layers.items() for part, values in _pack(layer).items()}
    write_npz(path, {"header": np.frombuffer(header, np.uint8), "digest": _digest(header, arrays), **arrays})


def read(path: Path, key: dict[str, Any]) -> tuple[dict[str, Any], Packed]:
    """Reads an evaluation and checks every byte of it.

    Args:
        path: the file.
        key: what decides the result.

    Returns:
        The numbers, and the arrays of its layers for `unpack`.

    Raises:
        YatzyError: if the file is damaged or holds the evaluation of another agent or ruleset.
    """
    advice = "delete the file, or pass --no-cache (cache=False)"
    try:
        arrays = read_npz(path, what="an exact evaluation")
        text, digest = arrays.pop("header").tobytes(), arrays.pop("digest")
        header = parse_json(text)
        check_results_number(path, header)
        whole = np.array_equal(digest, _digest(text, arrays))
    except YatzyError as error:
        raise YatzyError(f"{error}; {advice}") from error
    except (KeyError, ValueError, AttributeError) as error:
        raise YatzyError(f"{path}: damaged or not an exact evaluation; {advice}") from error
    if not whole:
        raise YatzyError(f"{path} is damaged: its contents do not match their digest; {advice}")
    if header.get("format") != FORMAT or header.get("key") != key:
        raise YatzyError(f"{path} holds the exact evaluation of another agent, ruleset or version; {advice}")
    return header["numbers"], arrays


def unpack(arrays: Packed, name: str, layer: Layer) -> Layer:
    """Fills an empty layer with what was kept of the layer of this name."""
    layer.chance.flat[arrays[f"{name}_cell"]] = arrays[f"{name}_chance"]
    if len(layer.rows):
        lanes, span, scores = (arrays[f"{name}_{part}"] for part in ("lane", "span", "score"))
        layer.span[lanes] = span
        ends = np.cumsum(span[:, 1] - span[:, 0])
        for lane, (begin, end), last in zip(lanes, span, ends, strict=True):
            layer.rows[lane, begin:end] = scores[last - (end - begin) : last]
    return layer


def _pack(layer: Layer) -> Packed:
    cell = np.flatnonzero(layer.chance)
    packed: Packed = {"cell": cell, "chance": layer.chance.flat[cell]}
    if len(layer.rows):
        lanes = np.flatnonzero(layer.span[:, 1])
        span = layer.span[lanes]
        rows = [layer.rows[lane, begin:end] for lane, (begin, end) in zip(lanes, span, strict=True)]
        packed |= {"lane": lanes, "span": span, "score": np.concatenate([np.zeros(0), *rows])}
    return packed


def _digest(text: bytes, arrays: Packed) -> NDArray[np.uint8]:
    pieces: list[bytes | memoryview] = [text]
    for name in sorted(arrays):
        array = np.ascontiguousarray(arrays[name])
        pieces += [f"{name} {array.dtype} {array.shape}".encode(), array.data]
    return np.frombuffer(bytes.fromhex(sha256(*pieces)), np.uint8)
