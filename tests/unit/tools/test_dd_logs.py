"""What people keep of dd: other languages, prompts, progress."""

from pathlib import Path

import pytest

from tests.unit.imported import cells_of, rows_of, run_of


@pytest.mark.parametrize(
    "line",
    [
        "335544320 bytes (336 MB, 320 MiB) copied, 2,5 s, 134 MB/s",
        "335544320 Bytes (336 MB, 320 MiB) kopiert, 2,5 s, 134 MB/s",
        "335544320 octets (336 MB, 320 MiB) copiés, 2.5 s, 134 MB/s",
        "335544320 bytes copied, 2.5 s, 134 MB/s",
        "335544320 バイト (336 MB) コピーされました、 2.5 秒、 134 MB/秒",
        "335544320 字节 (336 MB，320 MiB) 已复制，2.5 s，134 MB/s",
        "335544320 bytes (320.0MB) copied, 2.500000 seconds, 128.0MB/s",  # busybox
        "335544320 bytes (336 MB) copied, 2.5 seconds, 134 MB/s",  # until 2007
        "335544320 bytes transferred in 2.500000 secs (134217728 bytes/sec)",  # BSD and macOS
        "335544320 bytes (336 MB) copied, 2.5 s, 134 MB/s  ",  # a page that breaks the line there
    ],
)
def test_dd_in_other_languages(line: str) -> None:
    (row,) = run_of(f"1+0 records in\n1+0 records out\n{line}\n").rows
    assert (row["moved_bytes"], row["bw_mib_s"]) == (320 * 2**20, 128)


@pytest.mark.parametrize(
    "before", ["$ sudo ", "ana@n1:~> $ LD_PRELOAD=/lib/il.so D_IL=3 ", "time ", "# srun "]
)
@pytest.mark.parametrize("size", ["1M", "1MiB", "1024KiB", "1m", "$((1024*1024))", "$(( 2 * 512 ))k"])
def test_dd_behind_other_words(size: str, before: str) -> None:
    text = f"{before}dd if=/dev/zero of=./f bs={size} count=320\n335544320 bytes copied, 2.5 s, 134 MB/s\n"
    (row,) = run_of(text).rows
    assert (row["access"], row["xfer_bytes"]) == ("write", 2**20)


@pytest.mark.parametrize(
    ("before", "told"),
    [
        ("$ cgexec -g blkio:slow ", "cgexec -g blkio:slow"),
        ("[root@n1 ~]# ionice -c2 /bin/", "ionice -c2"),
        ("% kubectl exec -it pod-1 -- ", "kubectl exec -it pod-1 --"),
        ("# sync; echo 3 > /proc/sys/vm/drop_caches; ", "sync; echo 3 > /proc/sys/vm/drop_caches;"),
        ('$ time sh -c "', None),
        ("sudo bash -c '", None),
    ],
)
def test_what_a_command_of_dd_stands_behind_is_of_its_cell(before: str, told: str | None) -> None:
    """Behind anything but sudo, srun and time its access was unknown, and so in quotes."""
    end = before[-1] if before[-1] in "'\"" else ""
    command = f"{before}dd if=/dev/zero of=./f \\\n bs=1M conv=fsync && sync{end} 2>&1 | tee log\n"
    row = run_of(f"{command}1048576 bytes copied, 2.5 s, 134 MB/s\n").rows[0]
    assert (row["access"], row["xfer_bytes"], row["sync"]) == ("write", 2**20, True)
    assert row["observed"]["workload"].get("options", {}).get("environment") == told


@pytest.mark.parametrize(
    ("line", "accesses"),
    [
        ("dd if=/dev/zero of=./f bs=1M; dd if=./f of=/dev/null", ["write", "read", "unknown"]),
        ("for i in 1 2 3; do dd if=/dev/zero of=./f; done", ["write", "write", "write"]),
        ("dd if=/dev/zero bs=1M count=9 | ssh n2 'dd of=./f'", ["unknown"] * 3),
        ("dd if=/dev/zero bs=1M count=9 | gzip", ["unknown"] * 3),
    ],
)
def test_the_commands_of_a_line_are_those_of_the_results_below_it(line: str, accesses: list[str]) -> None:
    """The options of the last one on the line were those of the first result, the second had none."""
    ends = [f"1048576 bytes copied, {time} s, 134 MB/s\n" for time in (2.5, 2.6, 2.7)]
    assert [row["access"] for row in run_of(f"$ {line}\n{''.join(ends)}").rows] == accesses


def test_a_semicolon_is_no_part_of_an_option() -> None:
    text = "$ dd if=/dev/zero of=./f oflag=dsync; rm ./f\n1048576 bytes copied, 2.5 s, 134 MB/s\n"
    assert run_of(text).rows[0]["sync"]


def test_a_margin_before_the_line_of_dd_alone_is_taken_away(tmp_path: Path) -> None:
    """A page without the numbers of records, in another markup than Markdown, had no result."""
    done = "10485760 bytes (10 MB, 10 MiB) copied, 0.0176554 s, 594 MB/s"
    page = f"Write a file:\n\n.. code-block:: none\n\n    $ sudo dd if=/dev/zero of=f bs=10M\n    {done}\n"
    assert [row["access"] for row in rows_of(tmp_path, page)] == ["write"]


def test_the_command_of_a_result_is_that_behind_the_last_prompt(tmp_path: Path) -> None:
    """The first line of a file was dropped as a comment, and a command that a page told twice was unknown."""
    done = (
        "dd if=f of=/dev/null bs=1M\n1+0 records in\n1+0 records out\n1048576 bytes copied, 0.51 s, 2 MB/s\n"
    )
    for before in ("# ", "dd if=f of=/dev/null\n\nThe speed:\n[root@n1 a]# "):
        assert [row["access"] for row in rows_of(tmp_path, before + done)] == ["read"]
    pipe = run_of("+ dd if=f bs=1M\n+ " + done)  # nobody knows whose it is
    assert pipe.rows[0]["access"] == "unknown"


def test_where_and_with_which_library_dd_ran_tells_copies_apart(tmp_path: Path) -> None:
    """A page with one command on three machines, or with and without a library, had repetitions."""
    done = "dd if=/dev/zero of=foo bs=1M count=1\n1048576 bytes (1.0 MB, 1.0 MiB) copied, 0.{} s, 2 MB/s\n"
    before = ["$ ", "$ LD_PRELOAD=/lib/il.so ", "$ sudo ", "[root@n1 ~]# ", "[root@n2 ~]# ", "[root@n1 ~]# "]
    rows = rows_of(tmp_path, "".join(text + done.format(at) for at, text in enumerate(before, 51)))
    assert cells_of(rows) == [0, 1, 0, 3, 4, 3]


def test_the_progress_of_dd_is_no_result() -> None:
    """status=progress: a copy of 18 s had a record for each second, and its last one no command."""
    done = "1+0 records in\n1+0 records out\n1000000000 bytes (1.0 GB, 954 MiB) copied, 2.5 s, 400 MB/s\n"
    progress = "".join(f"{n}00000000 bytes ({n}00 MB, {n}0 MiB) copied, {n} s, 100 MB/s\n" for n in (1, 2))
    command = "$ dd if=/dev/zero of=/data/f bs=1G count=1 status=progress\n"
    rows = run_of(f"{command}{progress}{done}{progress}{done}{command}{done}").rows
    assert [row["access"] for row in rows] == ["write", "unknown", "write"]
    assert {row["total_s"] for row in rows} == {2.5}


def test_results_of_unknown_commands_are_no_repetitions(tmp_path: Path) -> None:
    log = "".join(f"1073741824 bytes copied, {time} s, 55.1 MB/s\n" for time in ("19.49", "10.79"))
    assert cells_of(rows_of(tmp_path, log)) == [0, 1]


def test_dd_from_no_storage_to_none_has_no_result() -> None:
    text = "".join(
        f"$ dd if=/dev/zero of={file} bs=2G count=1\n1+0 records in\n1+0 records out\n"
        "2147479552 bytes (2.1 GB, 2.0 GiB) copied, 0.631308 s, 3.4 GB/s\n"
        for file in ("/dev/null", "f")
    )
    assert [(row["access"], row["iteration"]) for row in run_of(text).rows] == [("write", 0)]


@pytest.mark.parametrize(
    ("loop", "cells"),
    [
        ("for k in 4 64; do dd if=/mnt/f of=/dev/null bs=${k}k; done", 2),
        ('for i in 1 2; do bs=$((4*i)); dd if=/mnt/f of=/dev/null bs="$bs"k iflag=direct; done', 2),
        ("while read flag; do dd if=/mnt/f of=/dev/null bs=1M iflag=$flag; done < flags", 2),
        ("for i in 1 2; do dd if=/mnt/f$i of=/dev/null bs=1M count=$n; done", 1),
        ("for i in 1 2; do dd if=/mnt/f of=/dev/null bs=$size; done", 1),
    ],
)
def test_a_loop_over_the_operands_of_dd_repeats_nothing(loop: str, cells: int, tmp_path: Path) -> None:
    """The results of all block sizes were repetitions of one cell."""
    line = "{}+0 records in\n{}+0 records out\n1073741824 bytes (1.1 GB, 1.0 GiB) copied, {} s, 9 MB/s\n"
    rows = rows_of(tmp_path, f"# {loop}\n{line.format(9, 9, 19.4914)}{line.format(9, 9, 2.7953)}")
    assert [row["access"] for row in rows] == ["read", "read"]
    assert len({row["cell"] for row in rows}) == cells


def test_a_page_may_list_results_behind_their_names(tmp_path: Path) -> None:
    """A comparison of servers, each result in a line of a list, was refused."""
    page = """\
# Using `dd`

## Write

```sh
dd if=/dev/zero of=probe bs=1M count=512 conv=fdatasync
```

- [east]: `536870912 bytes (537 MB) copied, 4.2 s, 128 MB/s`
- [west 1st run]: `536870912 bytes (537 MB) copied, 8.5 s, 63.2 MB/s` :snail:
- [west 2nd run]: `536870912 bytes (537 MB) copied, 8.4 s, 63.9 MB/s`

## Read

```sh
dd if=probe of=/dev/null bs=1M
```
Uncached
- [east]: `536870912 bytes (537 MB) copied, 2.7 s, 199 MB/s`

Cached
- [east]: `536870912 bytes (537 MB) copied, 0.2 s, 2.7 GB/s`
- [west]: `536870912 bytes (537 MB) copied, 0.3 s, 1.8 GB/s`
"""
    rows = rows_of(tmp_path, page)
    assert [row["access"] for row in rows] == ["write"] * 3 + ["read"] * 3
    assert {(row["xfer_bytes"], row["sync"]) for row in rows} == {(2**20, True), (2**20, None)}
    assert cells_of(rows) == [0, 1, 1, 3, 4, 5]


def test_a_result_that_a_sentence_repeats_counts_once() -> None:
    line = "1048576 bytes copied, 2.5 s, 0.4 MB/s"
    assert len(run_of(f"$ dd if=/dev/zero of=f bs=1M count=1\n{line}\n\nAs slow as `{line}`!\n").rows) == 1


def test_notes_may_have_the_output_as_a_comment() -> None:
    text = """\
dd if=/dev/zero of=/data/f bs=1m count=24
# 24+0 records in
# 24+0 records out
# 25165824 bytes transferred in 0.025 secs (1006632960 bytes/sec)
"""
    assert [(row["access"], row["bw_mib_s"]) for row in run_of(text).rows] == [("write", 960)]


@pytest.mark.parametrize("file", ['/d/$(date +"%m-%d").test', "/d/f$((4 + 1))", "/d/`hostname -s`"])
def test_a_command_in_the_name_of_the_file_ends_no_operands(file: str) -> None:
    """What stood behind it was lost: a block size of 1 GiB was 512 bytes, O_DIRECT was none."""
    command = f"$ dd if=/dev/zero of={file} bs=1G count=1 oflag=direct && sync"
    row = run_of(f"{command}\n1073741824 bytes (1.1 GB) copied, 2.0 s, 537 MB/s\n").rows[0]
    assert (row["access"], row["xfer_bytes"], row["direct"]) == ("write", 2**30, True)
    assert row["observed"]["path"].startswith("/d/")


@pytest.mark.parametrize(("seconds", "results"), [("2", 1), ("2.00042", 2), ("3", 2)])
def test_progress_without_the_numbers_of_records_is_no_result(seconds: str, results: int) -> None:
    """A filter kept the lines with a size alone; progress has whole seconds, which an end hardly ever has."""
    line = "1073741824 bytes (1.1 GB, 1.0 GiB) copied, {} s, 536 MB/s\n"
    text = f"# dd if=/dev/sdx of=/dev/null bs=4k status=progress 2>&1 | grep GiB\n{line.format(seconds)}"
    assert len(run_of(text + line.format("2.00342")).rows) == results


@pytest.mark.parametrize(
    ("prompt", "between", "cells"),
    [
        ("# ", "# zfs set compression=lz4 tank\n", 2),
        ("root@n1:~# ", "now with the cache of the controller\n", 2),
        ("# ", "\nreal\t0m2.505s\nuser\t0m0.000s\nsys\t0m0.9s\nroot@n1:~#\n", 1),
        ("# ", "## Run 2\n", 1),
        ("", "sleeping\n", 1),
    ],
)
def test_notes_tell_what_was_changed(prompt: str, between: str, cells: int, tmp_path: Path) -> None:
    """What was set between two commands was no condition of their results."""
    run = f"{prompt}dd if=/dev/zero of=/tank/f bs=1M count=1\n1+0 records in\n1+0 records out\n"
    run += "1048576 bytes copied, {} s, 0.4 MB/s\n"
    rows = rows_of(tmp_path, f"{run.format(2.5)}{between}{run.format(3.5)}")
    assert len({row["cell"] for row in rows}) == cells
    assert [row["access"] for row in rows] == ["write", "write"]


def test_the_prompt_of_a_shell_may_be_an_angle_bracket(tmp_path: Path) -> None:
    """The prompt hid the command: not even the access of two results was known."""
    done = "16+0 records in\n16+0 records out\n16777216 bytes (17 MB, 16 MiB) copied, 0.5 s, 33.6 MB/s\n"
    page = f"```\n# to the server\n> dd if=/dev/zero of=/mnt/f bs=1M count=16\n{done}```\n"
    (row,) = rows_of(tmp_path, page)
    assert (row["access"], row["xfer_bytes"]) == ("write", 2**20)
