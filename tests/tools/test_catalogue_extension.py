"""Adding larger numbers of points to a catalogue."""

from dataclasses import replace

from tools.catalogue_extension import extended

from protosphere.tables.catalogue import Catalogue, CatalogueEntry, shipped_catalogue


def part_with(max_cosine: float, num_points: int = 1400, dim: int = 70) -> Catalogue:
    source = shipped_catalogue().sources[0]
    entry = CatalogueEntry(num_points, dim, 0, 0, max_cosine)
    return Catalogue((source,), (entry,), 300, dim, frozenset({(num_points, dim)}))


def test_extended_catalogue_keeps_its_codes_in_their_places():
    before = shipped_catalogue()
    after = extended(before, [part_with(0.01)])
    assert after.sources[: len(before.sources)] == before.sources
    assert after.entries[: len(before.entries)] == before.entries
    assert after.entries[-1].source == len(before.sources)
    assert after.covers(1400, 70)
    assert not after.covers(1401, 70)
    assert after.can_build(replace(after.entries[-1], dim=70))


def test_entries_that_gain_too_little_are_not_kept_but_count_as_searched():
    before = shipped_catalogue()
    after = extended(before, [part_with(0.9)])
    assert after.entries == before.entries
    assert after.covers(1400, 70)


def test_entries_of_searched_sizes_stay_as_they_are():
    before = shipped_catalogue()
    assert extended(before, [part_with(-0.5, 200, 40)]).entries == before.entries
