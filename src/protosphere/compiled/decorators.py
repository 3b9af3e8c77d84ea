"""Decorators that compile inner loops with numba.

A function is compiled at its first call and releases the global interpreter lock; `kernel_cache` stores the machine
code on disk.
"""

from collections.abc import Callable
from typing import Any, TypeVar, cast

import numba

from protosphere.compiled.kernel_cache import KernelCache, kernel_folder

F = TypeVar("F", bound=Callable[..., object])


def compiled(function: F) -> F:
    """Compile a function with fast math: sums may be reordered, and infinities and NaNs are assumed not to occur."""
    # inlined: a call is bound to other machine code where it is compiled than where it is loaded, to other bits
    return _compiled(function, fastmath=True, forceinline=True)


def compiled_exactly(function: F) -> F:
    """Compile a function without fast math: sums are taken in the written order, and NaNs are kept."""
    return _compiled(function)


def _compiled(function: Any, **options: bool) -> Any:
    """Return a function compiled by numba with the given options, with `KernelCache` as its cache if possible."""
    dispatcher = cast("Any", numba.njit)(nogil=True, error_model="numpy", **options)(
        function
    )
    if hasattr(dispatcher, "enable_caching") and kernel_folder():
        dispatcher._cache = KernelCache(function)
    return dispatcher
