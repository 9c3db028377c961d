"""weir/plan/card.py: the cost card as people see it."""

from pathlib import Path

from tests.checkout import SITE, SUITE, TARGET, load, make_checkout
from weir.base.errors import WeirError
from weir.plan import Plan, make_plan
from weir.plan.card import cost_card, other_scale, short_card

CARD = """\
Plan of mine (scale full) on here: 6 cells, 12 executions, 6.9 s to 31 s
  A site for tests

  cells         6 (24 combinations: 18 excluded)
  executions    12, giving 36 measurements of each access
  everything    48 executions if all combinations were run: 28 are valid, and 12 of those can run here
  written       122 MiB
  read          122 MiB
  peak space    8 MiB and 1 file at a time
  time          6.9 s to 31 s in 12 launches, < 0.01 node-hours

  target  cells  executions  written     read  peak space  limit           time
  disk        6          12  122 MiB  122 MiB       8 MiB  1 GiB  6.9 s to 31 s

  disk: A directory (emulated); assumed 100 MiB/s written, 200 MiB/s read

  batch           partition  cells  executions  launches            time  node-hours
  disk-plain-1x1  node           2           4         4  2.2 s to 9.5 s      < 0.01
  disk-plain-1x2  node           4           8         8   4.7 s to 22 s      < 0.01

  excluded
         8  mine/sizes: target disk has no interface IME
         8  mine/sizes: needs more than the 4 processes per node that site here allows (max_ppn)
         2  mine/sizes: one process needs no MPI

  note: mine: 8 and 16 processes per node (max_ppn) are out of reach of site here and dropped
"""


def card_of(folder: Path, suite: str, site: str = SITE) -> str:
    target = TARGET + "emulated: true\n"
    return cost_card(make_plan(load(make_checkout(folder, {"mine": suite}, site, {"disk": target}))))


def test_the_card_whole(tmp_path: Path) -> None:
    suite = SUITE.replace("[POSIX, MPIIO]", "[POSIX, MPIIO, IME]").replace("[1, 2]", "[1, 2, 8, 16]")
    rule = "    where: [{exclude: api == 'MPIIO' and ppn == 1, because: one process needs no MPI}]\n"
    assert card_of(tmp_path, suite + rule) == CARD.rstrip("\n")


def test_a_batch_that_does_not_fit_the_time_limit_is_said(tmp_path: Path) -> None:
    site = SITE.replace("launch: 1 s", "launch: 1 s, time_limit: 40 s")
    card = card_of(tmp_path, SUITE.replace("[16 KiB, 1 MiB]", "[64 MiB]"), site)
    assert "disk-plain-1x2 needs 48 s, node allows 40 s: several allocations" in card
    assert "disk-plain-1x1 needs" not in card


def test_long_plans_are_cut_and_long_reasons_wrapped(tmp_path: Path) -> None:
    numbers = ", ".join(str(number) for number in range(1, 41))
    site = SITE.replace("cores_per_node: 4", "cores_per_node: 40")
    rule = f"    where: [{{exclude: ppn == 40, because: {'a long reason ' * 12}}}]\n"
    card = card_of(tmp_path, SUITE.replace("[1, 2]", f"[{numbers}]") + rule, site)
    assert "and 15 more batches of 60 cells" in card
    assert max(len(line) for line in card.splitlines()) <= 100


def test_notes_stand_at_the_end(tmp_path: Path) -> None:
    card = card_of(tmp_path, SUITE + "    targets: {kind: [pool]}\n")
    assert card.endswith("  note: mine/sizes: nothing to measure, none of the chosen targets is pool")
    assert "cells         0 (0 combinations" in card


def scaled_plan(folder: Path, scale: str = "") -> Plan:
    """A site with a scale of its own, and a suite with that scale, which has half of the sizes."""
    site = SITE + "scale: small\n"
    suite = SUITE + "scales: {small: {space: {xfer: [16 KiB]}}}\n"
    root = make_checkout(folder, {"mine": suite}, site, {"disk": TARGET})
    return make_plan(load(root, **({"scale": scale} if scale else {})))


def test_a_scale_that_the_site_chose_is_named_with_what_the_whole_costs(tmp_path: Path) -> None:
    """It was chosen silently."""
    plan = scaled_plan(tmp_path / "small")
    text = other_scale(plan, lambda: scaled_plan(tmp_path / "full", "full"), "--scale full")
    cost = "8 cells, 16 executions, 9.1 s to 41 s"
    assert text == f"small, the default of site here; full has {cost}: --scale full"
    assert f"\n  scale         {text}\n  cells         4 " in cost_card(plan, (), text)
    short = short_card(plan, 0, Path("results/local/quick/plan.txt"), text).splitlines()
    assert f"  scale       {text}" in short[:5]
    assert len(short) <= 12


def test_a_scale_that_was_requested_or_is_the_whole_is_not_explained(tmp_path: Path) -> None:
    def never() -> Plan:
        raise AssertionError("the whole is not planned in vain")

    assert other_scale(scaled_plan(tmp_path / "small", "small"), never, "") == ""
    whole = make_plan(load(make_checkout(tmp_path / "whole", {"mine": SUITE}, SITE, {"disk": TARGET})))
    assert other_scale(whole, never, "") == ""


def test_a_whole_that_cannot_be_planned_is_said(tmp_path: Path) -> None:
    def fails() -> Plan:
        raise WeirError("too many combinations")

    text = other_scale(scaled_plan(tmp_path), fails, "--scale full")
    assert text == "small, the default of site here; full cannot be planned: too many combinations"
