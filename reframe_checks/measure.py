"""One test is one batch: it asks for the allocation and runs `weir run` inside it.

ReFrame's terms, as they are meant here:

- test parameter: `batch`, all batches of all suites on this system (`reframe -l` shows them); each value
  makes a variant of the test, such as `measure %batch=quick:scratch-spack-2x8`.
- test case: a variant on a partition with an environment. A batch belongs to one partition, which
  `valid_systems` names, and needs one environment, `valid_prog_environs`: that of its stack.
- variable: what -S sets (`-S suite=quick -S target=scratch`), or a class derived from this one; weir_checks
  has them.
- tag: `--tag` chooses by the tags of the suites (smoke, daily, full), by suite and by target.
- pipeline stages: hooks after `init` plan the allocation, for each test whether it is run or not; those of
  `setup` name files; `run` submits a job, whose script starts `weir run` once, and `weir run` starts the
  ranks; `sanity` looks for the receipt and for records; `performance` takes the median of each cell and
  access.
- reference: `reference` of a class, or `-S reference_file=FILE`; a value below it fails the test.
- skipped: nothing was measured, and the test has the reason: the target is unavailable, or what is there was
  measured earlier (`-S keep=yes`). A test that is OK has measured each of its cells, now.

The tests are made from the plan in WEIR_PLAN (`weir plan --out`), or from the suites of config/.
"""

import reframe as rfm
from weir_checks.measuring import MeasureBatch


@rfm.simple_test
class measure(MeasureBatch):  # noqa: N801 - its name is what reframe -l prints
    """One batch of the suites of config/ or of a plan."""
