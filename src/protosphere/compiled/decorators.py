"""The compiler of the inner loops, numba, behind decorators with a type.

A function becomes machine code at its first call, is kept on disk by `kernel_cache`, and holds no interpreter lock.
"""

from collections.abc import Callable
from typing import Any, TypeVar, cast

import numba

from protosphere.compiled.kernel_cache import KernelCache, kernel_folder

F = TypeVar("F", bound=Callable[..., object])


def compiled(function: F) -> F:
    """Sums may be taken in any order, and nothing is infinite or not a number."""
    # inlined: a call is bound to other machine code where it is compiled than where it is loaded, to other bits
    return _kept(function, fastmath=True, forceinline=True)


def compiled_exactly(function: F) -> F:
    """Every sum in the order it is written; what is not a number stays so."""
    return _kept(function)


def _kept(function: Any, **options: bool) -> Any:
    dispatcher = cast("Any", numba.njit)(nogil=True, error_model="numpy", **options)(
        function
    )
    if hasattr(dispatcher, "enable_caching") and kernel_folder():
        dispatcher._cache = KernelCache(function)
    return dispatcher
