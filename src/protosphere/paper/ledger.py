"""The ledger of claims as a page."""

from collections.abc import Iterable, Sequence
from typing import Any

from protosphere.paper.claims import Judged
from protosphere.paper.evidence import NOT_RUN

HEAD = """---
hide-toc: true
---

# Claims on training

Every empirical claim of the paper on trained networks, and what our runs say. Made by `protosphere claims results -o
docs/claims.md` from the tables in `results/`; the claims on geometry (section 4.2, appendices A and B) have
[a page of their own](claims-geometry.md), with a test each.

Accuracies are per cent of the test images, mean ± standard error over runs. *Holds* and *does not hold* need a
difference of more than two standard errors; anything less is *not decided at this budget*. What a small budget says is
of that budget; the paper's own is

```sh
protosphere reproduce cifar100 --budget paper --ray ADDRESS   # ResNet-34, 200 epochs, 5 seeds: a GPU, or several
protosphere reproduce mnist --budget paper --workers 2
```
"""
SECTIONS = {"cifar100": "CIFAR-100", "mnist": "MNIST"}
COLUMNS = ("claim", "where", "our figures", "seeds", "budget", "verdict")


def ledger_rows(ledger: Iterable[Judged]) -> list[dict[str, Any]]:
    """A row a claim; one that was not run has no figures, seeds or budget."""
    return [
        {
            "dataset": each.claim.dataset,
            "claim": each.claim.text,
            "where": each.claim.where,
            "our figures": each.finding.figures or "",
            "seeds": str(each.seeds) if each.finding.verdict != NOT_RUN and each.seeds else "",
            "budget": each.budget if each.finding.verdict != NOT_RUN and each.budget else "",
            "verdict": each.finding.verdict,
        }
        for each in ledger
    ]


def page(ledger: Sequence[Judged]) -> str:
    """The whole page as Markdown."""
    table = ledger_rows(ledger)
    parts = [HEAD]
    for dataset, title in SECTIONS.items():
        own = [row for row in table if row["dataset"] == dataset]
        parts.append(f"\n## {title}\n\n{_table(own)}")
    return "".join(parts)


def _table(own: Sequence[dict[str, Any]]) -> str:
    lines = [COLUMNS, tuple("---" for _ in COLUMNS), *(tuple(row[column] for column in COLUMNS) for row in own)]
    return "".join("| " + " | ".join(line) + " |\n" for line in lines)
