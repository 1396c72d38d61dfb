"""Convert vectors to and from their stored form, which is little-endian float16. Vectors are rounded nowhere else.

Records contain this form, and an index contains vectors read from it, so every engine compares the same numbers. Reading
rescales a vector to length 1, because rounding changes the length by up to 0.0001, and some engines assume a length of 1.
"""

from commonplace.ports.values import Vector

_TOLERANCE = 0.01


def to_bytes(vector: Vector | None) -> bytes | None:
    """Round a unit vector to its stored form."""
    return None if vector is None else vector.astype("<f2").tobytes()


def from_bytes(blob: object, dimension: int | None = None) -> Vector | None:
    """Read a stored vector as float32. A missing or damaged vector gives None, and then only words find the memory."""
    import numpy as np  # deferred, because an export reads no vectors

    if not isinstance(blob, bytes) or not blob or len(blob) % 2 or dimension not in (None, len(blob) // 2):
        return None
    vector = np.frombuffer(blob, dtype="<f2").astype(np.float32)
    with np.errstate(invalid="ignore"):  # a damaged number may be a signalling NaN
        length = np.sqrt(vector.dot(vector))
    return vector / length if abs(length - 1) < _TOLERANCE else None


def rounded(vector: Vector | None) -> Vector | None:
    """Return `vector` as it will be read back from its record."""
    return from_bytes(to_bytes(vector))
