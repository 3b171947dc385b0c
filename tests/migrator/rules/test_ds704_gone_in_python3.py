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
        "import sys; sys.setdefaultencoding('utf-8')",
        "from itertools import izip",
        "import urllib; urllib.urlencode(x)",
        "import sys; n = sys.maxint",
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
        "def f(string):\n    return string.split(',')\n",
        "import string\nfor string in names:\n    string.replace('a', 'b')\n",
        "try:\n    text = unicode\nexcept:\n    text = str\n",
        "try:\n    import cPickle as pickle\nexcept Exception:\n    import pickle\n",
    ],
)
def test_what_the_code_brings_itself_is_not(code: str) -> None:
    check_noop("DS704", JOB + code)


def test_files_without_streams_are_not_looked_at() -> None:
    check_noop("DS704", "x = unicode(y)\n")


@pytest.mark.parametrize("handler", ["except:", "except Exception as e:", "except ValueError:"])
def test_a_handler_that_waits_for_something_else_hides_it(handler: str) -> None:
    code = f"try:\n    y = 1\n    for k in d.iterkeys():\n        z = 2\n{handler}\n    pass\n"
    check_found("DS704", JOB + code, 5)


def test_a_handler_of_missing_modules_is_not_one_of_missing_names() -> None:
    code = "try:\n    import json\n    x = unicode(y)\nexcept ImportError:\n    pass\n"
    check_found("DS704", JOB + code, 5)
