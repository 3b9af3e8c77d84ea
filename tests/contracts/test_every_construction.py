"""What every registered construction promises, whatever it is: one row per construction."""

from __future__ import annotations

import json

import numpy as np
import pytest

import protosphere as ps
from protosphere.assignment.similarity import similarity_text
from protosphere.constructions.build import rebuild
from protosphere.data import Dataset
from protosphere.experiments.config import TrainingConfig
from protosphere.experiments.devices import make_fabric
from protosphere.experiments.run import run
from protosphere.geometry.gram import max_cosine
from protosphere.spherical.provenance import Provenance

ALIKE = similarity_text(
    ps.similarity_from_embeddings(np.random.default_rng(0).standard_normal((12, 3)))
)

TREE = ps.taxonomy(
    {f"c{i}": f"s{i % 4}" for i in range(12)} | {f"s{i}": f"t{i % 2}" for i in range(4)}
).text

COMBINATIONS = "class,shape,color\n" + "".join(
    f"c{i},s{i % 4},{color}\n"
    for i, color in enumerate(["red", "red", "blue", "green", "blue"])
)

# A size each scheme can serve, quick options, and one it cannot serve with a dimension its refusal must name.
ROWS = [
    ("one_hot", 12, 15, {}, (12, 11, "12")),
    ("uniform", 30, 7, {}, None),
    ("simplex", 12, 11, {}, (12, 10, "11")),
    ("cross_polytope", 13, 7, {}, (13, 6, "7")),
    ("orthogonal_simplices", 13, 8, {}, (13, 6, "nearest: 7")),
    ("orthogonal_simplices", 20, 10, {}, (20, 19, "nearest: 18")),
    ("reed_muller", 100, 32, {}, (100, 33, "32, 64")),
    ("reed_muller", 100, 45, {"modify": True}, (100, 6, "7")),
    ("reed_muller", 30, 16, {"subset": "greedy"}, (100_000, 64, "subset 'first'")),
    ("reed_muller", 30, 16, {"subset": "random"}, (30, 17, "16, 32")),
    ("bch", 100, 31, {}, (100, 64, "63, 127")),
    ("bch", 100, 45, {"modify": True}, (100, 6, "7")),
    ("bch", 30, 31, {"subset": "greedy"}, (30, 32, "31, 63")),
    ("bch", 30, 31, {"subset": "random"}, (2**40, 31, "63")),
    ("reed_solomon", 60, 24, {}, (100, 91, "90, 92")),
    ("reed_solomon", 60, 30, {"q": 7}, (100, 31, "30, 36")),
    ("kerdock", 150, 16, {}, (100, 33, "16, 64")),
    ("kerdock", 270, 16, {}, (289, 16, "nearest: 64")),
    ("delsarte_goethals", 700, 16, {}, (100, 33, "16, 64")),
    ("gold", 300, 32, {}, (300, 64, "32, 128")),
    ("lifted_cross_polytopes", 60, 17, {}, (100, 16, "29, 33")),
    ("lifted_bases", 250, 24, {}, (100, 16, "19, 20")),
    ("shortened_cosets", 100, 15, {}, (100, 16, "14, 15")),
    ("shortened_cosets", 1000, 62, {}, (1000, 64, "62, 63")),
    ("construction_x", 600, 40, {}, (600, 3, "up to dim 4096")),
    ("best_known_linear", 300, 40, {}, (300, 7, "nearest: 9")),
    ("best_known_linear", 1000, 23, {}, (100, 150, "nearest: 128")),
    ("paley_frame", 50, 13, {}, (50, 14, "13, 15")),
    ("paley_frame", 20, 7, {}, (29, 7, "9, 13")),
    ("steiner_frame", 100, 28, {}, (100, 29, "28, 66")),
    ("two_graph_frame", 200, 21, {}, (253, 21, "43, 51")),
    ("generalized_quadrangle", 112, 21, {}, (100, 20, "21, 49")),
    ("designs", 77, 21, {}, (300, 21, "19, 20")),
    ("designs", 120, 11, {}, (133, 11, "18, 19")),
    ("strongly_regular", 56, 20, {}, (2000, 44, "no dim near 44")),
    ("weil_chirp", 140, 10, {}, (100, 11, "10, 14")),
    ("weil_chirp", 40, 6, {}, (49, 6, "10, 14")),
    ("root_system", 70, 6, {}, (73, 6, "7, 8")),
    ("signed_quadruples", 580, 11, {}, (583, 11, "12, 13")),
    *(
        ("e8_shell", 300, 8, {}, (300, 9, "8")),
        ("leech_shell", 1000, 24, {}, (1000, 25, "24")),
    ),
    ("coxeter_todd_shell", 900, 12, {}, (900, 13, "12")),
    ("barnes_wall_shell", 500, 16, {}, (500, 17, "16, 32")),
    ("laminated", 300, 20, {}, (20_000, 20, "21, 22")),
    ("lattice_shell", 500, 10, {}, (500, 8, "9, 10")),
    ("sharp_codes", 275, 22, {}, (5000, 23, "no dim near 23")),
    ("derived_code", 2000, 22, {}, (2000, 24, "22, 23")),
    ("kissing_configuration", 1500, 14, {}, (1500, 15, "14, 17")),
    ("polygon", 17, 2, {}, (17, 3, "nearest: 2")),
    ("polygon", 6, 2, {}, (2 * 10**7, 2, "10000000")),
    ("polytope", 24, 3, {}, (25, 3, "nearest: 4")),
    ("polytope", 9, 3, {}, (9, 5, "3, 4")),
    ("apple_peeling", 500, 4, {}, (30, 8, "nearest: 7")),
    ("apple_peeling", 40, 3, {}, (10**8, 3, "10000000")),
    ("mean_row_max", 20, 6, {"steps": 50}, (40_000, 6, "30000")),
    ("log_sum_exp", 20, 6, {"steps": 50}, (40_000, 6, "30000")),
    ("optimized", 20, 6, {"iterations": 300, "algebraic": False}, (40_000, 6, "20000")),
    ("log_sum_exp", 20, 6, {"steps": 50, "dtype": "float64"}, (40_000, 6, "30000")),
    ("best", 100, 16, {"iterations": 0, "catalogue": False}, (3, 1, "dim 2")),
    ("best", 40, 9, {"iterations": 0}, (10**15, 64, "this machine's memory")),
    ("best", 310, 4, {"iterations": 100}, None),
    ("hierarchical", 12, 7, {"tree": TREE, "steps": 50}, (12, 1, "nearest: 2")),
    (
        "hierarchical",
        12,
        5,
        {"tree": TREE, "similarity": ALIKE, "spread": 0.1, "steps": 50},
        None,
    ),
    ("hierarchy_frame", 12, 13, {"tree": TREE, "gamma": 2.0}, (12, 10, "nearest: 11")),
    ("semantic", 12, 4, {"similarity": ALIKE, "steps": 30}, (12, 1, "nearest: 2")),
    ("semantic", 12, 4, {"similarity": ALIKE, "steps": 30, "weight": 0.3}, None),
    ("semantic_ranking", 12, 4, {"similarity": ALIKE, "steps": 30}, None),
    ("composed", 12, 6, {"table": "4 x 3"}, (12, 4, "nearest: 5")),
    (
        "composed",
        5,
        9,
        {"table": COMBINATIONS, "codes": "one_hot", "weights": "2 1"},
        (5, 6, "nearest: 7"),
    ),
    ("clusters", 30, 7, {}, (30, 1, "nearest: 2")),
    ("clusters", 9, 2, {"clusters": 5, "spread": 0.1}, (11, 2, "clusters=6")),
    ("rotated_bases", 28, 7, {}, (6, 7, "nearest: 6")),
    ("rotated_bases", 30, 7, {"spread": 1.0}, (30, 1, "nearest: 2")),
]
BUILDABLE = [row[:4] for row in ROWS]


def build(scheme, num_classes, dim, options, **more):
    return ps.construct(scheme, num_classes=num_classes, dim=dim, **options, **more)


def test_every_construction_has_a_row():
    assert {row[0] for row in ROWS} == set(ps.available())


@pytest.mark.parametrize("row", BUILDABLE, ids=str)
def test_points_are_unit_and_certified_as_measured(row):
    code = build(*row)
    points = code.points
    assert points.shape == (row[1], row[2])
    np.testing.assert_allclose(np.linalg.norm(points, axis=1), 1, atol=1e-14)
    assert float(code.max_cosine) == pytest.approx(max_cosine(points), abs=1e-12)


@pytest.mark.parametrize("scheme", ps.available())
def test_smallest_dimension_is_the_smallest_that_is_feasible(scheme):
    formula = ps.describe(scheme).traits.smallest_dim
    for count in (2, 3, 8, 9) if formula else ():
        assert (
            ps.construct(scheme, num_classes=count, dim=formula(count)).num_classes
            == count
        )
        if formula(count) > 1:
            with pytest.raises(ps.InfeasibleError):
                ps.construct(scheme, num_classes=count, dim=formula(count) - 1)


@pytest.mark.parametrize("row", BUILDABLE, ids=str)
def test_points_are_stored_as_the_traits_of_the_scheme_say(row):
    code = build(*row)
    traits = ps.describe(row[0]).traits
    if traits.chooses:
        return
    on_request = code.placement.structure.name in ("simplices", "product")
    assert traits.numbered == on_request
    if traits.packed:
        every_entry_is_a_sign = (np.abs(code.points) == 1 / np.sqrt(row[2])).all()
        assert (code.signs is not None) == every_entry_is_a_sign
    else:
        assert code.signs is None


@pytest.mark.parametrize("row", BUILDABLE, ids=str)
def test_guarantee_is_at_least_measured_is_at_least_converse(row):
    certificate = build(*row).certificate
    if certificate.guarantee is not None:
        assert certificate.max_cosine <= certificate.guarantee
    assert float(certificate.max_cosine) >= float(certificate.converse) - 1e-12
    assert certificate.gap >= 0


@pytest.mark.parametrize("row", BUILDABLE, ids=str)
def test_same_seed_same_bits_and_the_seed_matters_just_where_it_is_said_to(row):
    scheme = ps.describe(row[0])
    options = row[3]
    first, again, other = (build(*row, seed=seed).points for seed in (5, 5, 6))
    assert np.array_equal(first, again)
    random = (
        scheme.traits.stochastic and options.get("iterations") != 0
    ) or options.get("subset") == "random"
    assert np.array_equal(first, other) != random


@pytest.mark.parametrize("row", BUILDABLE, ids=str)
def test_a_saved_code_comes_back_with_bits_certificate_and_provenance(row, tmp_path):
    code = build(*row, seed=3, mapping="random")
    code.save(tmp_path / "code.safetensors")
    back = ps.load(tmp_path / "code.safetensors")
    assert np.array_equal(code.points, back.points)
    assert back.certificate == code.certificate
    assert back.provenance == code.provenance
    assert back.explain() == code.explain()
    assert ps.certify(back) == code.certificate
    assert [path.name for path in tmp_path.iterdir()] == ["code.safetensors"]


@pytest.mark.parametrize("row", BUILDABLE, ids=str)
def test_the_request_in_provenance_gives_the_same_bits(row):
    code = build(*row, seed=3, mapping="random")
    provenance = code.provenance
    again = ps.construct(
        provenance.construction,
        num_classes=provenance.num_classes,
        dim=provenance.dim,
        seed=provenance.seed,
        mapping=provenance.mapping,
        **provenance.options,
    )
    assert np.array_equal(code.points, again.points)


@pytest.mark.parametrize("row", BUILDABLE, ids=str)
def test_provenance_as_json_rebuilds_the_points_bit_for_bit_or_says_that_they_are_carried(
    row,
):
    code = build(*row, seed=3, mapping="random")
    provenance = Provenance.from_json(json.loads(json.dumps(code.provenance.to_json())))
    assert provenance == code.provenance
    if ps.describe(provenance.placed_by.construction).traits.searched:
        with pytest.raises(ps.InvalidArgumentError, match="its points are in its file"):
            rebuild(provenance)
        return
    again = rebuild(provenance)
    assert np.array_equal(code.points, again.points)
    assert again.certificate == code.certificate
    assert again.placement.description == code.placement.description


@pytest.mark.parametrize("row", BUILDABLE, ids=str)
def test_random_mapping_permutes_the_same_points(row):
    fixed = build(*row, seed=1)
    shuffled = build(*row, seed=1, mapping="random")
    assert not np.array_equal(fixed.points, shuffled.points)
    assert np.array_equal(
        np.unique(fixed.points, axis=0), np.unique(shuffled.points, axis=0)
    )
    assert fixed.max_cosine == shuffled.max_cosine or float(
        fixed.max_cosine
    ) == pytest.approx(shuffled.max_cosine)


@pytest.mark.parametrize("row", [row for row in ROWS if row[4]], ids=str)
def test_the_infeasible_reason_names_scheme_value_and_what_would_work(row):
    scheme, _, _, options, (num_classes, dim, works) = row
    with pytest.raises(ps.InfeasibleError) as refusal:
        build(scheme, num_classes, dim, options)
    message = str(refusal.value)
    assert works in message
    assert str(dim) in message or str(num_classes) in message
    assert "\n" not in message


@pytest.mark.parametrize("scheme", ps.available())
def test_the_record_is_complete(scheme):
    record = ps.describe(scheme)
    assert record.name == scheme
    assert record.summary
    assert record.reference


FAMILIES = [name for name in ps.available() if ps.describe(name).members is not None]


@pytest.mark.parametrize("scheme", FAMILIES)
def test_ids_of_members_are_unique_and_lead_back_to_the_member(scheme):
    family = ps.describe(scheme)
    assert family.members is not None
    members = list(family.members(256))
    ids = [member.id for member in members]
    assert len(set(ids)) == len(ids)
    for member in members[:: max(1, len(members) // 40)]:
        chosen = {"member": member.id}
        assert member.description.strip()
        assert family.guarantee(2, member.dim, chosen=chosen) == member.max_cosine


def test_a_second_registration_of_a_name_raises():
    record = ps.describe("simplex")
    from protosphere.constructions import construction

    with pytest.raises(
        ps.InvalidArgumentError, match="'simplex' is registered already"
    ):
        construction(
            infeasible_reason=record.infeasible_reason,
            guarantee=record.guarantee,
            summary="x",
            reference="x",
        )(record.build)


@pytest.mark.parametrize("row", BUILDABLE, ids=str)
def test_a_network_takes_two_steps_against_it(row, tmp_path):
    scheme, num_classes, dim, options = row
    x = np.random.default_rng(0).standard_normal((16, 3), dtype=np.float32)
    y = np.arange(16) * num_classes // 16
    data = Dataset("mine.npz", x, y, x, y, tuple(map(str, range(num_classes))))
    settings = {
        "scheme": scheme,
        "dim": dim,
        "scheme_options": options,
        "preset": "protosphere",
        "validation": 0.0,
    }
    config = TrainingConfig(
        dataset="mine.npz",
        backbone="linear",
        epochs=1,
        batch_size=8,
        threads=1,
        **settings,
    )
    record = run(
        config, data, tmp_path, make_fabric("cpu", "32-true"), tensorboard=False
    )
    assert record.status == "done"
    assert np.isfinite(record.loss)
    assert record.max_cosine == float(build(*row).max_cosine)
