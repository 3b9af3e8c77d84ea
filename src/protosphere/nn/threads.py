"""Rows of a batch shared out over threads, once for many operations.

torch shares out every single operation and waits for the slower thread after each. With twenty short operations a call
that is twenty times to wait, and where other processes want the processors too, most of the time.
"""

from __future__ import annotations

from collections.abc import Callable
from threading import Thread
from typing import TypeVar

import torch

Result = TypeVar("Result")

FEWEST_ROWS = 8
FEWEST_SCORES = 1 << 20
"""Scores of all rows from which a call takes milliseconds, and starting threads, a tenth of one, pays."""


def by_rows(work: Callable[[slice], Result], rows: int, scores: int, device: torch.device) -> list[Result]:
    """`work` done for stretches of the rows, in order; `scores` is how many numbers it computes for all of them.

    On a processor each stretch has a thread of its own, which does not share its operations out again; elsewhere, and
    for little work, there is one stretch. No gradients are recorded.
    """
    pieces = min(torch.get_num_threads(), rows // FEWEST_ROWS) if device.type == "cpu" else 1
    if pieces < 2 or scores < FEWEST_SCORES:
        with torch.no_grad():
            return [work(slice(0, rows))]
    cuts = [slice(rows * i // pieces, rows * (i + 1) // pieces) for i in range(pieces)]
    return _in_threads([_bound(work, cut) for cut in cuts])


def _bound(work: Callable[[slice], Result], cut: slice) -> Callable[[], Result]:
    return lambda: work(cut)


def _in_threads(jobs: list[Callable[[], Result]]) -> list[Result]:
    """What the jobs give; the first exception of one of them is raised here."""
    given: dict[int, Result] = {}
    failed: list[BaseException] = []
    inference, before = torch.is_inference_mode_enabled(), torch.get_num_threads()

    def run(number: int) -> None:
        try:
            torch.set_num_threads(1)  # of this thread; and of ones that begin before it is set again below
            with torch.inference_mode(inference), torch.no_grad():
                given[number] = jobs[number]()
        except BaseException as error:
            failed.append(error)

    threads = [Thread(target=run, args=(number,)) for number in range(len(jobs))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    torch.set_num_threads(before)
    if failed:
        raise failed[0]
    return [given[number] for number in range(len(jobs))]
