"""The table of what a suite proves on the lab: ratios of each access, and rows that are measured again."""

import csv
from pathlib import Path
from typing import Any

from bench.tables import replace_rows
from tests.lab.filesystem import Share
from tests.lab.proven import HEAD, KEYS, row_of, why_not
from weir.records.columns import columns

RECORD = {"verdict": "VALID", "proof": "servers"}


def phase(access: str, sent: int | None, received: int | None, own: int) -> dict[str, Any]:
    counted = {"counted": "traffic", "sent_bytes": sent, "received_bytes": received}
    ports = {"observer": "ports", "counted": "node", "sent_bytes": 9000, "received_bytes": 9000}
    client = {"observer": "gluster", "counted": "traffic", "sent_bytes": own, "received_bytes": own}
    observers = [counted | {"observer": "connections"}, client, ports]
    return {"access": access, "moved_bytes": 1000, "observed": {"servers": {"observers": observers}}}


def test_ratios_are_less_the_parity_and_without_the_ports_of_the_node() -> None:
    phases = [phase("write", 1500, 9, 1500), phase("write", 1530, 9, 1515), phase("read", 9, 1010, 1000)]
    records = [RECORD, RECORD, RECORD | {"verdict": "DEGRADED"}]
    row = row_of("dispersed", "nobody", 2, Share(write=1.5), records, phases)
    assert row["proven"] == "2 of 3"
    assert row["client"] == "gluster"
    assert row["write"] == "1.000, 1.010, 1.020"
    assert row["read"] == "1.010, 1.010, 1.010"
    assert row[HEAD[-1]] == "write 1.000, 1.005, 1.010; read 1.000, 1.000, 1.000"


def test_what_was_not_counted_is_no_ratio() -> None:
    one = phase("write", None, None, 5)
    one["observed"]["servers"]["observers"].pop(1)
    row = row_of("moosefs", "root", 1, Share(), [RECORD], [one])
    assert (row["client"], row["write"], row["read"], row[HEAD[-1]]) == ("none",) * 4


def test_a_target_that_is_measured_again_has_one_row(tmp_path: Path) -> None:
    table = tmp_path / "table.csv"
    table.write_text("target,user,proven\na,root,1 of 2\nb,root,2 of 2\n")
    row = dict.fromkeys(HEAD, "x") | {"target": "a", "user": "root", "proven": "2 of 2"}
    replace_rows([row, row | {"user": "nobody"}], table, KEYS, HEAD)
    with table.open() as stream:
        rows = [(one["target"], one["user"], one["proven"]) for one in csv.DictReader(stream)]
    assert rows == [("a", "root", "2 of 2"), ("a", "nobody", "2 of 2"), ("b", "root", "2 of 2")]


def test_a_record_that_is_not_proven_tells_why_from_columns_that_records_have() -> None:
    record = dict.fromkeys(columns(), "") | {
        "verdict": "DEGRADED",
        "access": "read",
        "source": "runs/a/1/out",
    }
    assert why_not(record | {"reasons": "machine-busy", "evidence": "2 s"}) == (
        "DEGRADED read runs/a/1/out: machine-busy 2 s"
    )
    assert why_not(record | {"missing": "fetched"}) == "DEGRADED read runs/a/1/out: missing fetched"
