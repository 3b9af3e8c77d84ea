"""Decorators that compile inner loops with numba.

A decorated function is compiled when it is first called, and releases Python's global interpreter lock while it runs.
The module `kernel_cache` stores the machine code on disk.
"""

from collections.abc import Callable
from typing import Any, TypeVar, cast

import numba

from protosphere.compiled.kernel_cache import KernelCache, kernel_folder

F = TypeVar("F", bound=Callable[..., object])


def compiled(function: F) -> F:
    """Return a compiled version of a function, with fast math.

    The compiler may reorder sums, and assumes that infinities and NaNs do not occur.

    Args:
        function: The Python function.
    """
    # inlined: a call is bound to other machine code where it is compiled than where it is loaded, to other bits
    return _compiled(function, fastmath=True, forceinline=True)


def compiled_exactly(function: F) -> F:
    """Return a compiled version of a function, without fast math.

    Sums are computed in the written order, and NaNs and infinities are handled correctly.

    Args:
        function: The Python function.
    """
    return _compiled(function)


def _compiled(function: Any, **options: bool) -> Any:
    dispatcher = cast("Any", numba.njit)(nogil=True, error_model="numpy", **options)(
        function
    )
    if hasattr(dispatcher, "enable_caching") and kernel_folder():
        dispatcher._cache = KernelCache(function)
    return dispatcher
