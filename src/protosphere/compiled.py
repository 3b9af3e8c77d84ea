"""The compiler of the inner loops, numba, behind decorators with a type.

A function becomes machine code at its first call, is kept on disk, and holds no interpreter lock. What is kept is made
anew when the file of the function changes, not when that of one it calls does: while working on these, `make clean`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    F = TypeVar("F", bound=Callable[..., object])

    def compiled(function: F) -> F:
        """Sums may be taken in any order, and nothing is infinite or not a number."""
        return function

    def compiled_exactly(function: F) -> F:
        """Every sum in the order it is written; what is not a number stays so."""
        return function
else:
    from numba import njit

    # inlined, because a call is bound to other machine code where it is compiled than where it is loaded: other bits
    compiled = njit(cache=True, fastmath=True, nogil=True, error_model="numpy", forceinline=True)
    compiled_exactly = njit(cache=True, nogil=True, error_model="numpy")
