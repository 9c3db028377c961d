"""The text of `weir show`: its first line is the answer, with units."""

from typing import Any

from weir.report.text import lines

NO_RESULTS = {"VALID": 0, "UNPROVEN": 0, "DEGRADED": 0, "INVALID": 0}


def answer(target: str, access: str, value: float, **changes: Any) -> dict[str, Any]:
    best = {"value": value, "unit": "MiB/s", "n": 6, "lo": 0.9 * value, "hi": 1.1 * value, "setting": "POSIX"}
    return {"target": target, "access": access, "best": best | changes}


def page(targets: list[dict[str, Any]], answers: list[dict[str, Any]], **verdicts: Any) -> dict[str, Any]:
    about = {"title": "", "host": "node", "processor": "", "memory": "", "name": "quick", "suites": "quick"}
    return {
        "study": about | {"began": "2026-11-22T04:31"},
        "targets": targets,
        "answers": answers,
        "verdicts": {"real": NO_RESULTS, "emulated": {}} | verdicts,
        "doubts": [],
        "advice": [],
    }


def target(name: str, emulated: bool = False) -> dict[str, Any]:
    return {"name": name, "file_system": "ext4", "emulated": emulated}


def test_the_first_line_has_the_best_rates_and_how_many_results_are_proven() -> None:
    found = [answer("disk", "read", 2000), answer("disk", "write", 1000), answer("memory", "write", 9000)]
    shown = [*lines(page([target("disk"), target("memory")], found, real=NO_RESULTS | {"VALID": 120}))]
    assert shown[0] == (
        "120 of 120 results proven; disk at best: write 1,000 MiB/s [900–1,100], "
        "read 2,000 MiB/s [1,800–2,200]"
    )
    assert shown[1] == "  disk ext4 · memory ext4"


def test_one_more_target_is_one() -> None:
    facts = page([target(f"disk{number}") for number in range(5)], [], emulated=NO_RESULTS)
    assert "  and 1 more target: report.html" in [*lines(facts)]


def test_whether_programs_agree_stands_below_the_rates() -> None:
    facts = page([target("disk")], [answer("disk", "write", 1000)], real=NO_RESULTS | {"VALID": 6})
    text = "weir-io and IOR agree within 3 % on 4 of 4 cells"
    assert [*lines(facts | {"cross_check": [text]})][-1] == f"  check      {text}"


def test_the_first_line_of_emulated_storage_names_it_so() -> None:
    facts = page([target("ime", True)], [answer("ime", "write", 500)], emulated=NO_RESULTS | {"DEGRADED": 4})
    assert next(lines(facts)) == "0 of 4 results proven; ime (emulated) at best: write 500 MiB/s [450–550]"


def test_the_first_line_of_a_study_without_a_rate_gives_none() -> None:
    facts = page([target("disk")], [], real=NO_RESULTS | {"INVALID": 3})
    assert next(lines(facts)) == "0 of 3 results proven; no rate that can be used"


def test_the_first_line_of_a_table_with_verdicts_of_its_author_does_not_prove() -> None:
    found = [answer("disk", "write", 1000, lo=None, hi=None, n=1)]
    facts = page([target("disk")], found, real=NO_RESULTS | {"VALID": 3}, authors=3)
    assert next(lines(facts)) == (
        "3 of 3 results VALID by the verdict of the table's author; disk at best: write 1,000 MiB/s (one run)"
    )


def test_a_name_is_not_broken_at_its_hyphen() -> None:
    names = [f"scratch-openmpi-{number}x2" for number in range(9)]
    found = [answer("disk", "write", 1000, setting=", ".join(names))]
    shown = "\n".join(lines(page([target("disk")], found, real=NO_RESULTS | {"VALID": 6})))
    assert all(name in shown for name in names)
    assert max(map(len, shown.splitlines())) <= 100
