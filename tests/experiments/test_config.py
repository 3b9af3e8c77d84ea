"""Configs: as printed in the paper, told apart by digest, and refused in one sentence."""

from __future__ import annotations

import inspect
from datetime import date

import pytest

import protosphere as ps
from protosphere.errors import InvalidArgumentError, StorageError
from protosphere.experiments import TrainingConfig, config_names, load_config
from protosphere.experiments.config import config_from
from protosphere.experiments.config_files import default_config, default_dim
from protosphere.experiments.heads import configured_head
from protosphere.experiments.store import read_table
from protosphere.experiments.sweep_files import load_sweep, sweep_configs
from protosphere.nn import PrototypeHead
from protosphere.nn.presets import default_preset


@pytest.mark.parametrize("name", ["paper-mnist", "paper-cifar100"])
def test_the_papers_configs_are_as_printed(name):
    config = load_config(name)
    assert (config.lr, config.momentum, config.weight_decay, config.schedule) == (
        0.1,
        0.9,
        5e-4,
        "cosine",
    )
    assert (config.batch_size, config.epochs, config.validation, config.pad) == (
        512,
        200,
        0.2,
        4,
    )
    network, flip, degrees = (
        ("simard", False, 30.0) if name == "paper-mnist" else ("resnet34", True, 15.0)
    )
    assert (config.backbone, config.flip, config.rotation_degrees) == (
        network,
        flip,
        degrees,
    )


def test_every_config_that_ships_is_one():
    for name in config_names():
        assert isinstance(load_config(name), TrainingConfig)
    assert default_config("fashion_mnist") == "quick-fashion-mnist"
    assert default_config("cifar10-features") == "quick-features"


def test_digests():
    config = load_config("quick-digits")
    assert config.digest == load_config("quick-digits").digest
    others = [
        config.changed(seed=1),
        config.changed(lr=0.2),
        config.changed(mapping="random"),
        config.changed(dim=11),
    ]
    assert len({config.digest, *(other.digest for other in others)}) == 5
    assert config.changed(rotation_degrees=10).digest == config.digest, "10 is 10.0"
    assert TrainingConfig().digest == "44136fa355b3678a1146", (
        "stored results are found by it: it must not change"
    )


def test_the_default_preset_and_scheme_are_those_of_a_head():
    config = TrainingConfig()
    settings = inspect.signature(PrototypeHead).parameters
    assert (config.scheme, config.preset) == (settings["scheme"].default, "auto")
    for num_classes in (10, 100):
        code = ps.construct("simplex", num_classes=num_classes, dim=num_classes - 1)
        chosen = configured_head(config, code).preset
        assert chosen == default_preset(num_classes) == PrototypeHead(code).preset


@pytest.mark.parametrize("table", ["cifar100-features.csv", "cifar100-hours.csv"])
def test_committed_results_keep_their_digests(table, request):
    records = read_table(
        request.config.rootpath / "results" / table
    )  # which refuses any other digest
    assert len(records) >= 16
    assert all(record.test_accuracy for record in records)


@pytest.mark.parametrize("content", [[1, 2], "digits", 3, None])
def test_what_is_no_config(content):
    with pytest.raises(
        InvalidArgumentError, match="a config must be settings with their names"
    ):
        config_from(content)


@pytest.mark.parametrize(
    ("settings", "complaint"),
    [
        ({"scheme": "bhc"}, "'scheme' is not one we know.*did you mean 'bch'"),
        ({"epochs": 1.5}, "'epochs' must be an integer"),
        ({"epochs": -1}, "'epochs' must be an integer of at least 0"),
        ({"lr": 0}, "'lr' must be a number above 0"),
        ({"lr": 1e308}, "'lr' must be a number above 0 and below 1e\\+38"),
        ({"lr": float("nan")}, "'lr' must be a number"),
        (
            {"objective": "swav", "crop_area": 1.00001},
            "'crop_area' must be a number above 0 and at most 1, got 1.00001",
        ),
        (
            {"rotation_degrees": 180.0001},
            "'rotation_degrees' must be a number of at least 0 and at most 180",
        ),
        ({"threads": 10**10}, "'threads' must be at most 1024"),
        ({"pad": 10**10}, "'pad' must be at most 4096"),
        ({"head": "cosine"}, "'head' must be one of prototypes, linear, bottleneck"),
        (
            {"head": "linear", "scheme": "bch"},
            "'scheme' goes with head 'prototypes', and the head is 'linear'",
        ),
        (
            {"head": "bottleneck", "preset": "mettes"},
            "'preset' goes with head 'prototypes'",
        ),
        ({"preset": "lindstorm"}, "'preset' must be one of"),
        ({"loss": "hinge"}, "'loss' is not one we know"),
        ({"loss": "squared_cosin"}, "did you mean 'squared_cosine'"),
        (
            {"loss": "squared_cosine", "loss_options": {"margin": 0.3}},
            "the loss 'squared_cosine' has no option 'margin'",
        ),
        ({"loss_options": {"margin": 0.3}}, "'cross_entropy' has no option 'margin'"),
        ({"scale": "big"}, "'scale' must be 'auto', 'learn' or a number above 0"),
        ({"optimizer": "adam"}, "'optimizer' must be one of sgd, adamw"),
        ({"warmup": -1}, "'warmup' must be a number of at least 0"),
        ({"scheme_options": [1]}, "'scheme_options' must be options with their names"),
        (
            {"scheme_options": {"steps": date(2020, 1, 1)}},
            "'scheme_options' must be plain numbers",
        ),
        (
            {"validation": 1.0},
            "'validation' must be a number of at least 0 and below 1",
        ),
        ({"momentum": "high"}, "'momentum' must be a number"),
        ({"flip": 1}, "'flip' must be True or False"),
        ({"mapping": "best"}, "'mapping' must be one of fixed, random"),
        ({"precision": "8"}, "'precision' must be one of"),
        ({"leraning_rate": 1}, "a config has no setting 'leraning_rate'"),
        ({"dataset": 3}, "'dataset' must be a text"),
        ({"scheme_options": {"subset": "none", "x": 1}}, "has no option"),
    ],
)
def test_refusals(settings, complaint):
    with pytest.raises(InvalidArgumentError, match=complaint):
        load_config("quick-digits").changed(**settings)


def test_names_and_files(tmp_path):
    with pytest.raises(InvalidArgumentError, match="did you mean 'paper-mnist'"):
        load_config("paper-mnits")
    file = tmp_path / "mine.toml"
    file.write_text('dataset = "digits"\nlr = 1\n')
    assert load_config(str(file)).lr == 1.0
    file.write_text("lr = = 1")
    with pytest.raises(StorageError, match="not TOML"):
        load_config(str(file))
    with pytest.raises(StorageError, match="there is no such file"):
        load_config(str(tmp_path / "none.toml"))


def test_default_dimensions():
    assert default_dim("one_hot", 100) == 100
    assert default_dim("bch", 100) == 127
    assert default_dim("reed_muller", 100) == 128


def test_a_learned_head_has_no_schemes_and_comes_once():
    content = {
        "dataset": "digits",
        "heads": ["prototypes", "linear", "bottleneck"],
        "schemes": ["bch", "reed_muller"],
        "dims": [15, 16],
        "mappings": ["fixed", "random"],
        "seeds": [0, 1],
        "presets": ["lindstrom", "protosphere"],
    }
    configs = sweep_configs(content)
    heads = [config.head for config in configs]
    assert [heads.count(head) for head in ("prototypes", "linear", "bottleneck")] == [
        2 * 2 * 2 * 2 * 2,
        2,
        2 * 2,
    ]
    assert {config.dim for config in configs if config.head == "linear"} == {10}
    assert sweep_configs({"dataset": "digits", "heads": ["linear"]})[0] == configs[
        32
    ].changed(seed=0)


def test_sweeps_are_products(tmp_path):
    file = tmp_path / "sweep.toml"
    file.write_text(
        """
        config = "quick-mnist"
        epochs = 2
        seeds = [0, 1]
        [[grid]]
        schemes = ["bch", "reed_muller"]
        dims = [15, 16]
        mappings = ["fixed", "random"]
        [[grid]]
        schemes = ["one_hot"]
        dims = [10]
        """
    )
    configs = load_sweep(file)
    assert len(configs) == 2 * 2 * 2 * 2 + 2
    assert {config.epochs for config in configs} == {2}
    assert len({config.digest for config in configs}) == len(configs)


@pytest.mark.parametrize(
    ("content", "complaint"),
    [
        ({"schemes": ["bch"]}, "needs a list of dims"),
        ({"schemes": [], "dims": [1]}, "needs a list of schemes"),
        (
            {"schemes": ["bch"], "dims": [7], "shemes": 1},
            r"unknown key 'shemes'; did you mean 'schemes'\?$",
        ),
        (
            {"schemes": ["bch"], "dims": [7], "zzz": 1},
            "unknown key 'zzz'; it may have: objectives, heads, .*, weight_decay$",
        ),
        ({"grid": {"schemes": 1}}, r"as \[\[grid\]\]"),
        (
            {"grid": [{"schemes": ["bch"], "dims": [7], "lrz": [1]}]},
            r"a grid that has an unknown key 'lrz'; did you mean 'lr'\?",
        ),
        (
            {"grid": [{"schemes": ["bch"], "dims": [7], "lr": [1]}]},
            "'lr' must be a number",
        ),
        ({"schemes": ["bhc"], "dims": [7]}, "did you mean 'bch'"),
    ],
)
def test_sweeps_that_are_wrong(content, complaint):
    with pytest.raises(InvalidArgumentError, match=complaint):
        sweep_configs(content)


def test_a_grid_has_settings_of_its_own() -> None:
    grids = [
        {
            "schemes": ["bch"],
            "dims": [7],
            "lr": 0.5,
            "scheme_options": {"modify": True},
        },
        {"heads": ["bottleneck"], "dims": [7], "preset": "mettes"},
    ]
    own, learned = sweep_configs({"dataset": "digits", "lr": 0.25, "grid": grids})
    assert (own.lr, own.scheme_options, learned.lr, learned.preset) == (
        0.5,
        {"modify": True},
        0.25,
        "auto",
    )


def test_similarity_goes_with_aligned_mappings_alone() -> None:
    with pytest.raises(
        InvalidArgumentError,
        match="'similarity' goes with the mappings align and oppose, got 'fixed'",
    ):
        TrainingConfig(similarity="cifar100_levels")
