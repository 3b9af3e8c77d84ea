"""The figures: files are made, and their tables hold what constructing again gives."""

import csv
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import protosphere as ps
from protosphere.constructions.comparison import compare
from protosphere.constructions.registry import constructions_with
from protosphere.plots import draw_comparison, draw_histogram, draw_similarity
from protosphere.plots.figures import (
    FIGURES,
    MOST_KEPT_CODES,
    draw,
    native_requests,
    prototypes,
)
from protosphere.plots.histogram import histogram_figure
from protosphere.plots.separation import limit_curve, separation_figure
from protosphere.plots.similarity import drawing_order
from protosphere.plots.style import LEARNED_STYLES, scheme_styles
from protosphere.spherical.cosines import cosine_counts

NAMES = (
    *("separation-k10", "separation-k100", "separation-k1000"),
    *("histogram-k10", "histogram-k100", "histogram-k1000"),
)
STARTS = {".png": b"\x89PNG", ".pdf": b"%PDF", ".svg": b"<?xml"}


def rows_of(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def test_the_figures_have_the_names_we_promise() -> None:
    assert tuple(FIGURES) == NAMES
    assert all(figure.name == name for name, figure in FIGURES.items())


def test_a_figure_is_a_picture_twice_and_a_table(tmp_path: Path) -> None:
    png, pdf, table = draw("histogram-k10", tmp_path / "new")
    assert [path.name for path in (png, pdf, table)] == [
        f"histogram-k10{suffix}" for suffix in (".png", ".pdf", ".csv")
    ]
    assert png.read_bytes().startswith(STARTS[".png"])
    assert pdf.read_bytes().startswith(STARTS[".pdf"])
    assert len(list((tmp_path / "new").iterdir())) == 3


def test_histogram_k10_agrees_with_its_codes(tmp_path: Path) -> None:
    rows = rows_of(draw("histogram-k10", tmp_path, seed=2)[-1])
    for scheme in ("uniform", "log_sum_exp", "reed_muller", "bch"):
        own = [row for row in rows if row["scheme"] == scheme]
        code = ps.construct(scheme, num_classes=10, dim=int(own[0]["dim"]), seed=2)
        again = cosine_counts(code, 41).records()
        assert [(float(row["low"]), int(row["pairs"])) for row in own] == [
            (r["low"], r["pairs"]) for r in again
        ]
        assert sum(int(row["pairs"]) for row in own) == 45


def test_drawing_twice_gives_the_same_bytes(tmp_path: Path) -> None:
    first, second = (draw("histogram-k10", tmp_path / name) for name in "ab")
    assert [
        a.read_bytes() == b.read_bytes() for a, b in zip(first, second, strict=True)
    ] == [True] * 3


def test_an_unknown_figure_is_refused_with_the_nearest(tmp_path: Path) -> None:
    with pytest.raises(ps.InvalidArgumentError, match="did you mean 'separation-k100'"):
        draw("separation-k00", tmp_path)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("suffix", STARTS)
def test_a_comparison_is_drawn_by_suffix(tmp_path: Path, suffix: str) -> None:
    comparison = compare(
        30, [4, 16, 29, 32], schemes=["simplex", "reed_muller", "uniform", "one_hot"]
    )
    path = draw_comparison(comparison, tmp_path / f"k30{suffix}")
    assert path.read_bytes().startswith(STARTS[suffix])


def test_a_comparison_of_one_dimension_or_of_infeasible_schemes_only_is_drawn(
    tmp_path: Path,
) -> None:
    assert draw_comparison(
        compare(10, [9], schemes=["simplex"]), tmp_path / "a.png"
    ).is_file()
    assert draw_comparison(
        compare(10, [2, 3], schemes=["bch"]), tmp_path / "b.png"
    ).is_file()


def test_each_scheme_of_a_comparison_is_in_the_legend() -> None:
    comparison = compare(
        40, [20, 32, 39, 40], schemes=["simplex", "cross_polytope", "uniform", "bch"]
    )
    figure = separation_figure(comparison, limit_curve(comparison))
    labels = [text.get_text() for text in figure.legends[0].get_texts()]
    drawn = scheme_styles(["simplex", "cross_polytope", "uniform"])
    assert labels == [style.label for style in drawn.values()]
    assert len(figure.axes) == 2


def test_pairs_left_out_of_a_histogram_are_told() -> None:
    code = ps.construct("reed_muller", num_classes=100, dim=16)
    (ax,) = histogram_figure([cosine_counts(code)]).axes
    assert ax.get_title(loc="right") == "max 1/2; 50 pairs at -1 not shown"
    assert len(ax.patches) == 3


def test_a_histogram_of_opposed_points_only_is_drawn(tmp_path: Path) -> None:
    code = ps.from_points([[1.0, 0.0], [-1.0, 0.0]])
    assert draw_histogram(code, tmp_path / "two.png").is_file()
    assert draw_histogram(
        [code, ps.construct("uniform", num_classes=9, dim=3)], tmp_path / "both.pdf"
    ).is_file()


def test_a_file_we_cannot_write_is_refused_in_one_sentence(tmp_path: Path) -> None:
    code = ps.construct("simplex", num_classes=3, dim=2)
    with pytest.raises(
        ps.InvalidArgumentError, match=r"\.png, \.pdf, \.svg, got 'a.gif'"
    ):
        draw_histogram(code, tmp_path / "a.gif")
    (tmp_path / "file").write_text("not a folder")
    with pytest.raises(ps.StorageError, match=r"cannot (write|make)"):
        draw_histogram(code, tmp_path / "file" / "a.png")


def test_schemes_are_told_apart_without_color() -> None:
    styled = constructions_with(lambda traits: traits.style is not None)
    own = scheme_styles([*styled, *LEARNED_STYLES])
    styles = scheme_styles([*own, "one", "two", "three"]).values()
    looks = [(style.marker, str(style.line)) for style in styles]
    assert len(set(looks)) == len(looks)
    assert len({style.color for style in own.values()}) == len(own)


@pytest.mark.parametrize(
    ("num_classes", "low", "high"), [(10, 4, 1024), (100, 4, 1024), (1000, 16, 2048)]
)
def test_the_codes_of_the_separation_figures_exist(
    num_classes: int, low: int, high: int
) -> None:
    for scheme, dim in native_requests(num_classes, low, high, [low]):
        entry = ps.describe(scheme)
        assert entry.infeasible_reason(num_classes, dim, **entry.options) is None, (
            scheme,
            dim,
        )


def test_listing_the_figures_does_not_load_matplotlib() -> None:
    program = "import sys, protosphere.plots; sys.exit('matplotlib' in sys.modules or 'torch' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", program], check=False).returncode == 0


def test_a_descent_is_made_once_and_few_are_kept() -> None:
    wanted = {"num_classes": 5, "seed": 0}
    first = prototypes("log_sum_exp", dim=3, **wanted)
    assert prototypes("log_sum_exp", dim=3, **wanted) is first
    assert prototypes("log_sum_exp", dim=3, num_classes=5, seed=1) is not first
    for dim in range(4, 4 + MOST_KEPT_CODES):
        prototypes("mean_row_max", dim=dim, **wanted)
    assert prototypes("log_sum_exp", dim=3, **wanted) is not first


def test_similar_superclasses_are_drawn_side_by_side() -> None:
    """Four superclasses on a line in an order of their own: the picture has them in that of the line."""
    middles = {"s0": 2.0, "s1": 0.0, "s2": 3.0, "s3": 1.0}
    tree = ps.taxonomy({f"c{i}": f"s{i % 4}" for i in range(12)})
    places = np.array([middles[f"s{i % 4}"] for i in range(12)])
    similarity = -np.abs(places[:, None] - places)
    order = drawing_order(similarity, tree.groups())
    drawn = places[order]
    assert abs(np.diff(drawn)).sum() == 3, (
        "each superclass once, and those along the line"
    )
    assert sorted(drawing_order(similarity, np.arange(12)).tolist()) == list(range(12))


def test_extreme_and_constant_similarities_are_drawn(tmp_path: Path) -> None:
    code = ps.construct("cross_polytope", num_classes=12, dim=6)
    many = ps.taxonomy(
        {f"c{i}": f"a rather long name of a superclass {i // 2}" for i in range(12)}
    )
    for number, similarity in enumerate((np.zeros((12, 12)), 1e9 * np.eye(12)[::-1])):
        assert draw_similarity(
            similarity, code, tmp_path / f"{number}.png", tree=many
        ).is_file()
