"""DS704: what Python 3 does not have, in files that it can parse."""

import pytest

from tests.migrator.rules import check_found, check_noop

JOB = "from pyspark.streaming import StreamingContext\nssc = StreamingContext(sc, 1)\n"


@pytest.mark.parametrize(
    "line",
    [
        "x = unicode(y)",
        "x = reduce(f, y)",
        "reload(m)",
        "import ConfigParser",
        "from urllib2 import urlopen",
        "x = d.has_key(1)",
        "print >>err, 1",
        "sys.setdefaultencoding('utf-8')",
    ],
)
def test_it_is_found(line: str) -> None:
    check_found("DS704", f"{JOB}{line}\n", 3)


@pytest.mark.parametrize(
    "code",
    [
        "try:\n    import ConfigParser\nexcept ImportError:\n"
        "    import configparser as ConfigParser\n",
        "if six.PY2:\n    text = unicode\n",
        "from functools import reduce\nx = reduce(f, y)\n",
        "def f(file, long):\n    return file, long\n",
        "from past.builtins import unicode\nx = unicode(y)\n",
        "x = obj.unicode\n",
        "x = 1 >> 2\n",
    ],
)
def test_what_the_code_brings_itself_is_not(code: str) -> None:
    check_noop("DS704", JOB + code)


def test_files_without_streams_are_not_looked_at() -> None:
    check_noop("DS704", "x = unicode(y)\n")
