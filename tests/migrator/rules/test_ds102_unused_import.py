"""DS102: imports that nobody reads are deleted, and only those."""

import pytest

from tests.migrator.rules import check_found, check_noop, check_rewritten, rewritten


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("import pyspark.streaming\nx = 1\n", "x = 1\n"),
        ("x = 1\nfrom pyspark.streaming import DStream", "x = 1\n"),
        ("x = 1; import pyspark.streaming\n", "x = 1\n"),
        ("import pyspark.streaming; x = 1\n", "x = 1\n"),
        ("import pyspark.streaming;\nx = 1\n", "x = 1\n"),
        ("x = 1; import pyspark.streaming; y = 2\n", "x = 1; y = 2\n"),
        ("from pyspark.streaming import (\n  DStream,\n)  # why\nx = 1\n", "x = 1\n"),
        ("import os, pyspark.streaming\nprint(os)\n", "import os\nprint(os)\n"),
        (
            "from pyspark import RDD, streaming\nprint(RDD)\n",
            "from pyspark import RDD\nprint(RDD)\n",
        ),
        ("if a: from pyspark.streaming import DStream\n", "if a: pass\n"),
        ("if a:\n    import pyspark.streaming\n    x = 1\n", "if a:\n    x = 1\n"),
        (
            "def f():\n\timport pyspark.streaming\n\tfrom pyspark.streaming import DStream\n",
            "def f():\n\tpass\n",
        ),
        (
            "for a in b:\n    x\nelse:\n    import pyspark.streaming\n",
            "for a in b:\n    x\nelse:\n    pass\n",
        ),
        ("from pyspark.streaming.tests import Case\nx = 1\n", "x = 1\n"),
        ("\x0cimport pyspark.streaming\nx = 1\n", "\x0cx = 1\n"),
    ],
)
def test_an_unused_import_is_deleted(before: str, after: str) -> None:
    assert rewritten(before) == after
    assert rewritten(after) == after


@pytest.mark.parametrize(
    "code",
    [
        "from pyspark.streaming import DStream\nprint(DStream)\n",
        "from pyspark.streaming import DStream\ndel DStream\n",
        "from pyspark.streaming import DStream\ndef f():\n    global DStream\n",
        'from pyspark.streaming import DStream\nx: "DStream"\n',
        "from pyspark.streaming import DStream\nprint(globals()['DStream'])\n",
        "from pyspark.streaming import DStream\nprint(eval(name))\n",
        "from pyspark.streaming import DStream  # noqa\n",
        "from pyspark.streaming import *\n",
        "try:\n    import pyspark.streaming\nexcept ImportError:\n    pass\n",
        "import pyspark.streaming\nprint(pyspark.__version__)\n",
        "from pyspark.streaming import StreamingContext, DStream\nprint(DStream)\n",
    ],
)
def test_what_somebody_may_need_is_not_deleted(code: str) -> None:
    check_noop("DS102", code)


def test_nothing_is_deleted_where_others_take_names_from() -> None:
    for path in ("jobs/__init__.py", "stubs.pyi"):
        assert (
            rewritten("from pyspark.streaming import DStream\n", path=path)
            == "from dstream_compat import DStream\n"
        )
    notebook = "# Databricks notebook source\nfrom pyspark.streaming import DStream\n"
    assert rewritten(notebook) == notebook.replace("pyspark.streaming", "dstream_compat")


def test_a_name_that_another_module_takes_from_here_stays() -> None:
    check_noop(
        "DS102",
        {
            "common.py": "from pyspark.streaming import StreamingContext\n",
            "job.py": "from common import StreamingContext\nssc = StreamingContext(sc, 1)\n",
        },
    )


def test_a_name_in_a_comment_does_not_keep_an_import() -> None:
    check_found("DS102", "from pyspark.streaming import DStream\n# a DStream\nx = 1\n", 1)


def test_a_false_friend_loses_its_import_and_nothing_else() -> None:
    check_rewritten(
        """
        import pandas as pd
        from pyspark.streaming import StreamingContext
        df = pd.DataFrame(data).transform(lambda x: x + 1)
        """,
        """
        import pandas as pd
        df = pd.DataFrame(data).transform(lambda x: x + 1)
        """,
    )


def test_what_a_class_imports_is_its_attribute() -> None:
    check_rewritten(
        "class Job:\n    from pyspark.streaming import StreamingContext\n",
        "class Job:\n    from dstream_compat import StreamingContext\n",
    )


def test_a_name_that_only_a_doctest_reads_is_used() -> None:
    doctest = '"""\n>>> isinstance(count(lines), DStream)\n... # or not\nTrue\n"""\n'
    check_noop("DS102", f"from pyspark.streaming import DStream\n{doctest}")
    check_rewritten(
        f"from pyspark.streaming import DStream, StreamingContext\n{doctest}",
        f"from dstream_compat import DStream, StreamingContext\n{doctest}",
    )


def test_a_doctest_that_uses_the_full_name_keeps_the_import() -> None:
    code = 'import pyspark.streaming\n"""\n>>> f(pyspark.streaming.DStream)\n"""\n'
    check_noop("DS102", code)
    [finding] = check_found("DS101", code, 1)
    assert finding.fix is None


def test_a_doctest_with_an_import_of_its_own_is_none_of_these() -> None:
    code = (
        '"""\n>>> import pyspark.streaming.kafka\n>>> from pyspark.streaming import context\n"""\n'
    )
    assert rewritten(f"import pyspark.streaming\n{code}") == code
