"""Create random generators, one per purpose and epoch, and save the states of the global random generators."""

import random
from collections.abc import Generator
from contextlib import contextmanager
from typing import Any

import numpy as np
import torch

GLOBAL_NUMPY: Any = np.random
"""The module `numpy.random`, whose global generator a user's network may use; this package never uses it."""

PURPOSES = ("split", "weights", "epoch", "label noise")


def stream(seed: int, purpose: str, number: int = 0) -> torch.Generator:
    """Return a torch random generator whose seed depends only on the arguments.

    Each epoch has its own generator, so that a single epoch can be repeated.

    Args:
        seed: Seed of the run.
        purpose: One of 'split', 'weights', 'epoch' and 'label noise'.
        number: Index of the generator among those for this purpose, such as the index of the epoch.
    """
    entropy = [seed, PURPOSES.index(purpose), number]
    state = np.random.SeedSequence(entropy).generate_state(1, np.uint64)
    return torch.Generator().manual_seed(int(state[0]) >> 1)


def seed_everything(seed: int) -> None:
    """Seed the global random generators of Python, numpy and torch.

    Initial weights and dropout are drawn from torch's global generator.

    Args:
        seed: Seed of the run, from which the seed of the generators is derived.
    """
    number = stream(seed, "weights").initial_seed()
    random.seed(number)
    GLOBAL_NUMPY.seed(number % 2**32)
    torch.manual_seed(number)  # pyright: ignore[reportUnknownMemberType] - torch leaves its return untyped


def random_states() -> dict[str, Any]:
    """Return the states of the global random generators of Python, numpy and torch, as a dictionary.

    The keys are "python", "numpy", "torch" and "cuda". The last state is a list with one state per GPU, which is empty
    without CUDA. The states consist of tensors, numbers, texts, None and lists of these.
    """
    version, internal, gauss = random.getstate()
    name, keys, position, has_gauss, cached = GLOBAL_NUMPY.get_state(legacy=True)
    return {
        "python": [version, list(internal), gauss],
        "numpy": [
            name,
            torch.tensor(np.asarray(keys).astype(np.int64)),
            position,
            has_gauss,
            cached,
        ],
        "torch": torch.get_rng_state(),
        "cuda": torch.cuda.get_rng_state_all() if torch.cuda.is_available() else [],
    }


def restore_random_states(states: dict[str, Any]) -> None:
    """Restore saved states of the global random generators of Python, numpy and torch.

    Args:
        states: The states, as `random_states` returned them.

    Raises:
        ValueError: If the state of numpy's generator is damaged.
    """
    version, internal, gauss = states["python"]
    random.setstate((version, tuple(internal), gauss))
    name, keys, position, has_gauss, cached = states["numpy"]
    if not 0 <= position <= len(keys):  # which numpy would read at, wherever that is
        raise ValueError(f"the state of a generator has no number {position}")
    GLOBAL_NUMPY.set_state(
        (name, keys.numpy().astype(np.uint32), position, has_gauss, cached)
    )
    torch.set_rng_state(states["torch"].cpu())
    if states["cuda"] and torch.cuda.is_available():
        torch.cuda.set_rng_state_all([state.cpu() for state in states["cuda"]])


@contextmanager
def own_randomness() -> Generator[None]:
    """Return a context manager that saves the states of the global random generators and restores them when it ends."""
    states = random_states()
    try:
        yield
    finally:
        restore_random_states(states)
