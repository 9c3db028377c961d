"""Options of a mount that do not decide about an access are no finding."""

import pytest

from tests.unit.audit.findings_of_mounts import FINDS, UNDECIDED
from weir.audit import Subject
from weir.audit.registry import rules
from weir.measure.machine.mount_settings import FAMILIES, Setting, deciding


@pytest.mark.parametrize("name", UNDECIDED)
def test_an_option_that_does_not_decide_is_not_noted(name: str) -> None:
    outcome = rules()["mount-decides"].check(UNDECIDED[name])
    assert outcome is None or outcome.level == "passed", outcome


def decided(subject: Subject) -> list[Setting]:
    mount = subject.run.host["file_system"]
    return [setting for setting, _ in deciding(mount["type"], mount["device"], mount["settings"])]


def test_each_kind_of_access_in_the_table_has_a_case() -> None:
    kinds = {one.of for family in FAMILIES for one in family.settings if one.decides is not None}
    assert kinds == {setting.of for _, subject, _, _ in FINDS for setting in decided(subject)}
