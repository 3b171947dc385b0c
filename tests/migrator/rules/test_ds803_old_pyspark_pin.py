"""DS803: requirements that hold pyspark below what moved jobs need."""

from __future__ import annotations

import pytest

from tests.migrator.rules.around import check_examples, check_lines


def test_the_examples_are_true() -> None:
    check_examples("DS803")


@pytest.mark.parametrize(
    "line",
    [
        "pyspark==2.4.5",
        "pyspark == 3.5.1  # the cluster's",
        "pyspark===2.4",
        "pyspark~=3.5",
        "pyspark<=4.1.9",
        "pyspark<4",
        "pyspark<4.2",
        "pyspark>=2.4,<3.0",
        "pyspark[sql,pandas_on_spark]==3.5.0",
        'pyspark = "^2.4"',
        'pyspark = "==2.4.5"',
        'pyspark = "*, <4"',
        "  - pyspark=2.4.5",
        "  - pyspark=3.1=pyhd8ed1ab_0",
        "RUN pip install --no-cache-dir pyspark==2.4.5 numpy",
        'install_requires = "pyspark==2.4.5"',
        '  "pyspark==2.4.5",',
    ],
)
def test_a_pin_below_4_2_is_found(line: str) -> None:
    check_lines("DS803", line + "\n", 1)


@pytest.mark.parametrize(
    "line",
    [
        "pyspark",
        "pyspark>=2.4",
        "pyspark>2",
        "pyspark!=3.0.0",
        "pyspark==4.2.0",
        "pyspark>=4.2,<5",
        "pyspark~=4.3",
        'pyspark = "^4.2"',
        'pyspark = "*"',
        "  - pyspark=4.3.0",
        "pyspark-stubs==2.4.0",
        "my.pyspark==2.4.0",
        "databricks-pyspark==2.4.0",
        "# pyspark==2.4.5",
        "numpy==1.19  # for pyspark 2.4",
        "PYSPARK_PYTHON=python3",
    ],
)
def test_what_allows_4_2_or_is_not_pyspark_is_left_alone(line: str) -> None:
    check_lines("DS803", line + "\n")


def test_the_finding_covers_the_requirement_and_not_what_follows() -> None:
    (found,) = check_lines("DS803", "RUN pip install pyspark==2.4.5 numpy\n", 1)
    assert (found.column, found.end_column) == (17, 31)
