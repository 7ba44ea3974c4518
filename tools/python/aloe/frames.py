# SPDX-License-Identifier: BSD-3-Clause
"""Frames of `aloe tap --framed` (daemons/README.md): bytes in, messages out."""

import struct
from typing import BinaryIO, Iterator, NamedTuple, Optional

import numpy

HEAD = struct.Struct("<QII")
IDLE, ABSENT, GAP, BEFORE = 1, 2, 4, 8

# Types of items as numpy has them. A ci16 item is a row of two numbers, re and im.
DTYPES = {
    "bit": numpy.dtype("u1"),
    "byte": numpy.dtype("u1"),
    "i16": numpy.dtype("<i2"),
    "llr16": numpy.dtype("<i2"),
    "f32": numpy.dtype("<f4"),
    "cf32": numpy.dtype("<c8"),
    "ci16": numpy.dtype(("<i2", 2)),
}


class Message(NamedTuple):
    """A message of an output, or a gap.

    index  of the message; of "lost" and "before" the first of them
    data   items as a numpy array; None unless state is "valid"
    state  "valid", "idle" (none by plan), "absent" (there should be one), "lost", or
           "before" (before the ring of the tap was made)
    count  1; of "lost" and "before" how many there are
    """

    index: int
    data: Optional[numpy.ndarray]
    state: str
    count: int = 1


def items(data: bytes, type_: str) -> numpy.ndarray:
    """The items of a message."""
    dtype = DTYPES[type_]
    return numpy.frombuffer(data, dtype=dtype.base).reshape((-1,) + dtype.shape)


def _read(stream: BinaryIO, size: int) -> Optional[bytes]:
    data = stream.read(size)
    if len(data) == 0 and size > 0:
        return None
    if len(data) < size:
        raise ValueError(f"the tap ends within a frame: {len(data)} of {size} bytes")
    return data


def messages(stream: BinaryIO, type_: str) -> Iterator[Message]:
    """The messages of a stream of frames, to its end. ValueError: these are no frames."""
    while (head := _read(stream, HEAD.size)) is not None:
        index, flags, size = HEAD.unpack(head)
        if flags not in (0, IDLE, ABSENT, GAP, BEFORE) or (flags >= GAP and size != 8):
            raise ValueError(f"index {index}: a frame with flags {flags} and {size} bytes")
        data = _read(stream, size)
        if data is None:
            raise ValueError(f"the tap ends within the frame of index {index}")
        if flags >= GAP:
            yield Message(index, None, "lost" if flags == GAP else "before", struct.unpack("<Q", data)[0])
        elif flags == 0:
            yield Message(index, items(data, type_), "valid")
        else:
            yield Message(index, None, "idle" if flags == IDLE else "absent")
