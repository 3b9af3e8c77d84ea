"""The compiler of the inner loops, numba, behind a decorator with a type."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    F = TypeVar("F", bound=Callable[..., object])

    def compiled(function: F) -> F:
        """The function as machine code, made at its first call and kept on disk; it holds no interpreter lock."""
        return function
else:
    from numba import njit

    compiled = njit(cache=True, fastmath=True, nogil=True, error_model="numpy")
