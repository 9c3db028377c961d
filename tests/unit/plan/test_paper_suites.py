"""The suites of published studies, a page each, and what is left of them on a site; and the suite quick."""

from collections import Counter
from functools import cache

import pytest

from tests.checkout import ROOT, SHIPPED_SITES, shipped
from weir.plan import Plan, make_plan
from weir.plan.card import cost_card
from weir.records.model import Cell

SUITES = ("ime-paper", "netcdf-features")
DOORS = ("disk", "memory", "ime-native", "ime-fuse", "backing", "memory-pool")


@cache
def plan_of(suite: str, site: str, scale: str = "") -> Plan:
    return make_plan(shipped(site, [suite], scale=scale))


def cells_of(plan: Plan, experiment: str) -> list[Cell]:
    return [cell for cell in plan.cells if cell.experiment == experiment and not cell.checks]


def values(cells: list[Cell], name: str) -> set[object]:
    return {
        tuple(value) if isinstance(value, list) else value for value in (cell.params[name] for cell in cells)
    }


@pytest.mark.parametrize("suite", SUITES)
def test_a_suite_is_a_page_that_names_no_place(suite: str) -> None:
    text = (ROOT / f"config/suites/{suite}.yaml").read_text()
    assert len(text.splitlines()) <= 60
    names = {target for targets, _ in SHIPPED_SITES.values() for target in targets}
    arguments = set(text.replace("'", " ").replace(",", " ").replace("]", " ").split())
    assert arguments & (names - {"disk", "memory", "burst-buffer"}) == set()
    assert "/" not in text.replace("//", "")


@pytest.mark.slow
def test_the_whole_study_on_ten_nodes() -> None:
    plan = plan_of("ime-paper", "ime-template", "full")
    bandwidth = cells_of(plan, "bandwidth")
    # Doors: POSIX in two layouts and MPI-IO behind and through the mount, IME in two layouts and MPI-IO.
    kinds_of_access = Counter((cell.target, cell.params["api"], cell.params["layout"]) for cell in bandwidth)
    assert len(kinds_of_access) == 9
    assert set(kinds_of_access.values()) == {10 * 8 * 2 * 4}
    assert {cell.nodes for cell in bandwidth} == set(range(1, 11))
    assert {cell.ppn for cell in bandwidth} == set(range(1, 9))
    assert values(bandwidth, "xfer_bytes") == {1024 * size for size in (16, 100, 1024, 10240)}
    assert {cell.params["block_bytes"] // cell.params["xfer_bytes"] for cell in bandwidth} == {100}
    assert {(cell.rounds, *cell.params["access"]) for cell in bandwidth} == {(10, "write", "read")}
    stripes = {(cell.target, cell.nodes): cell.params["stripe_count"] for cell in bandwidth}
    assert [stripes["backing", nodes] for nodes in (1, 7, 8, 10)] == [2, 14, 16, 16]
    assert {stripes[target, 10] for target in ("ime-native", "ime-fuse")} == {0}
    netcdf = cells_of(plan, "netcdf")
    assert len(netcdf) == 2 * 2 * 2 * 4
    assert {(cell.nodes, cell.ppn, cell.rounds * cell.iterations) for cell in netcdf} == {(10, 8, 100)}
    single = cells_of(plan, "single-operations")
    assert {(cell.params["xfer_bytes"], cell.params["operations"]) for cell in single} == {
        (16384, 10_000),
        (2**20, 1024),
    }
    assert Counter(cell.target for cell in single) == {"backing": 8, "ime-fuse": 8, "ime-native": 8}


@pytest.mark.slow
def test_the_full_factorial_and_its_valid_combinations() -> None:
    """As loops count: three targets, 80 geometries, three interfaces, and so on, ten times."""
    plan = plan_of("ime-paper", "ime-template", "full")
    assert plan.cost.points == 3 * 80 * 3 * 2 * 2 * 4 + 3 * 2 * 2 * 4 + 3 * 2 * 2 * 2
    assert plan.cost.factorial == 10 * plan.cost.points == 115_920
    assert plan.cost.valid == plan.cost.reachable == 10 * (5760 + 32 + 24)
    beside = sum(cell.checks is not None for cell in plan.cells)
    assert (plan.cost.executions - plan.cost.valid, beside) == (10 * beside, 4)
    assert {item.cause for item in plan.exclusions} == {"rule", "interface"}
    assert plan.unreachable == ()
    card = cost_card(plan)
    assert "everything    115,920 executions if all combinations were run: 58,160 are valid\n" in card


def test_the_scale_of_a_laptop() -> None:
    """Nobody requested a scale: the site has one. Every axis keeps two values, every cell has an interval."""
    plan = plan_of("ime-paper", "local")
    assert plan.scale == "quick"
    assert not plan.scale_requested
    assert {cell.target for cell in plan.cells} == set(DOORS)
    bandwidth, netcdf = cells_of(plan, "bandwidth"), cells_of(plan, "netcdf")
    assert {cell.ppn for cell in bandwidth} == {1, 2}
    assert {cell.rounds for cell in plan.cells} == {3}
    for name, count in {"xfer_bytes": 4, "order": 2, "layout": 2, "api": 3}.items():
        assert len(values(bandwidth, name)) == count
    for name, count in {"collective": 2, "chunking": 2, "geometry": 4}.items():
        assert len(values(netcdf, name)) == count
    assert plan.unreachable[0].nodes == (2,)
    assert "note: ime-paper: 2 nodes are out of reach of site local and dropped" in cost_card(plan)
    assert plan.cost.peak_bytes <= 2**29


def test_half_the_study_beyond_the_reach_of_a_laptop() -> None:
    plan = plan_of("ime-paper", "local", "half")
    (beyond,) = plan.unreachable
    assert (beyond.nodes, beyond.ppn) == ((2, 4, 8), (4, 8))
    beyond_reach = (
        "2, 4 and 8 nodes and 4 and 8 processes per node (max_ppn) are out of reach of site local and dropped"
    )
    assert f"ime-paper: {beyond_reach}" in plan.notes
    assert plan.cost.reachable < plan.cost.valid


def test_features_of_netcdf_one_at_a_time_on_every_target() -> None:
    plan = plan_of("netcdf-features", "local")
    features = cells_of(plan, "features")
    assert {cell.target for cell in features} == set(DOORS) - {"ime-native"}
    names = ("fill", "unlimited", "deflate_level")
    assert {tuple(cell.params[name] for name in names) for cell in features} == {
        (False, False, 0),
        (True, False, 0),
        (False, True, 0),
        (False, False, 1),
    }
    for cell in features:
        if cell.params["unlimited"] or cell.params["deflate_level"]:
            assert cell.params["collective"]
            assert cell.params["chunking"] == "auto"
    ior = cells_of(plan, "ior")
    assert values(ior, "api") == {"MPIIO", "HDF5"}
    assert {cell.params["block_bytes"] == cell.params["xfer_bytes"] for cell in ior} == {True}
    assert min(values(ior, "segments")) > 1  # type: ignore[type-var]


def test_io500_fits_the_space_and_the_quota_of_a_centre() -> None:
    """IO500's own sizes, 720 TiB and 80 million files of 80 processes, are more than most users may store."""
    plan = plan_of("io500", "lustre-template")
    target = plan.site.targets["scratch"]
    assert list(plan.exclusions) == []
    assert sorted(cell.experiment for cell in plan.cells if not cell.checks) == [
        *("find", "ior-easy", "ior-hard", "mdtest-easy", "mdtest-hard")
    ]
    assert 0 < plan.cost.peak_bytes <= target.space_bytes
    assert 0 < plan.cost.peak_inodes <= target.inodes


@pytest.mark.parametrize("site", ["lustre-template", "ime-template"])
def test_what_is_run_first_on_a_new_cluster_drops_caches_there(site: str) -> None:
    """The suite nodes requests it, so that the programs of the templates have to do it."""
    plan = plan_of("nodes", site)
    assert plan.cells
    assert [item.reason for item in plan.exclusions if "drop" in item.reason] == []
    # With 8 MiB a rank a phase of a cluster lasted 2 ms, which the audit calls too short.
    assert all(cell.params["stonewall"] >= 1 and cell.params["wear_out"] for cell in plan.cells)


GIB = 2**30


@pytest.fixture(scope="module")
def cells() -> list[Cell]:
    plan = make_plan(shipped("local", ["quick"]))
    return [cell for cell in plan.cells if not plan.site.targets[cell.target].emulated]


def test_each_phase_lasts_until_its_stonewall(cells: list[Cell]) -> None:
    for cell in cells:
        assert cell.params["stonewall"] == {"disk": 1.0, "memory": 0.25}[cell.target]
        assert cell.params["wear_out"], "or a file would have holes"
        assert cell.params["read_again"], "a read would end with what was written"
        assert cell.params["sync"]
        assert cell.params["drop_caches"]


def test_only_a_storage_of_gigabytes_a_second_ends_a_write_before_it(cells: list[Cell]) -> None:
    for cell in cells:
        rate = cell.ranks * cell.params["block_bytes"] / cell.params["stonewall"]
        is_random = cell.params["order"] == "random"
        assert rate >= (1.5 if is_random and cell.target == "disk" else 4) * GIB, cell.label


def test_a_few_cells_in_six_rounds(cells: list[Cell]) -> None:
    assert {cell.rounds for cell in cells} == {6}
    assert len(cells) == 10
