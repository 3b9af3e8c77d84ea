"""Verdicts in words: what is said of the paper, and what only of the networks that were run."""

from __future__ import annotations

import math
from pathlib import Path

import pytest

from protosphere.cli.finished_runs import stored_records
from protosphere.experiments import load_config
from protosphere.experiments.record import RunRecord
from reproduction.claims import claims_table
from reproduction.findings import (
    DOES_NOT,
    MOST_SEEDS,
    UNDECIDED,
    Finding,
    Sample,
    higher,
)
from reproduction.results import Results
from reproduction.verdicts import verdict_text

ROOT = Path(__file__).parents[2]


def cifar100_runs(config, **changes):
    """Runs with which BCH at n = 63 is 20 points below one-hot, which the paper says it is close to."""
    accuracies = {("one_hot", 100): 0.6, ("bch", 63): 0.4}
    records = []
    for (scheme, dim), accuracy in accuracies.items():
        for seed in range(3):
            run = load_config(config).changed(
                scheme=scheme, dim=dim, seed=seed, preset="lindstrom", **changes
            )
            records.append(
                RunRecord(
                    run,
                    "done",
                    test_accuracy=accuracy + seed / 1000,
                    max_cosine=1 / dim,
                )
            )
    return records


@pytest.mark.parametrize(
    ("config", "changes", "verdict"),
    [
        ("paper-cifar100", {}, "does not hold"),
        ("paper-cifar100", {"precision": "bf16-mixed", "epochs": 300}, "does not hold"),
        (
            "paper-cifar100",
            {"epochs": 199},
            "not at our scale: resnet34, 199 epochs, CIFAR-100",
        ),
        (
            "paper-cifar100",
            {"backbone": "small"},
            "not at our scale: small, 200 epochs, CIFAR-100",
        ),
        (
            "paper-cifar100",
            {"train_images": 5000},
            "not at our scale: resnet34, 200 epochs, 5000 examples of CIFAR-100",
        ),
        (
            "quick-features",
            {},
            "not at our scale: linear, 12 epochs, features of CIFAR-100",
        ),
    ],
)
def test_a_claim_that_fails_below_the_papers_scale_names_the_network(
    config, changes, verdict
):
    rows = claims_table(cifar100_runs(config, **changes))
    found = {row["claim"]: row["verdict"] for row in rows}
    assert (
        found[
            "BCH at n = 63 is nearly as accurate as one-hot vectors (within 1.5 points)"
        ]
        == verdict
    )
    assert ("does not hold" in found.values()) == (verdict == "does not hold")


def test_no_claim_fails_at_the_papers_scale_in_the_committed_results():
    """They are of smaller networks and fewer epochs, so that they cannot contradict the paper."""
    for row in claims_table(stored_records(ROOT / "results")):
        assert row["verdict"] != DOES_NOT
        if row["verdict"].startswith("not at our scale"):
            backbone, epochs = row["budget"].split(", ")[-2:]
            assert f"{backbone}, {epochs}" in row["verdict"]


def test_a_failed_comparison_of_two_datasets_names_both_networks():
    failed = Finding("", DOES_NOT)
    ours = Results(tuple(cifar100_runs("quick-cifar100")))
    papers = Results(tuple(cifar100_runs("paper-cifar100")))
    both = verdict_text(failed, [ours, papers])
    assert ours.network in both
    assert papers.network in both
    assert verdict_text(failed, [papers, papers]) == DOES_NOT
    assert verdict_text(failed, []) == DOES_NOT, "a claim that needs no training"


def test_what_nobody_counted_is_not_told():
    assert verdict_text(Finding("", UNDECIDED), []) == "not decided"
    assert (
        verdict_text(Finding("", UNDECIDED, math.inf), [])
        == f"not decided; more than {MOST_SEEDS} seeds would decide"
    )
    one_seed = higher(Sample({0: 1.0}), Sample({0: 2.0}), ("a", "b"))
    assert verdict_text(one_seed, []) == "not decided; 2 seeds would decide"
