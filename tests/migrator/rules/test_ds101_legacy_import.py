"""DS101: imports of pyspark.streaming move to the shim where they stand."""

import pytest

from migrator.core import Readiness, Severity
from tests.migrator.rules import check_found, check_noop, check_rewritten, rewritten

CTX = "ssc = StreamingContext(sc, 1)\n"


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (
            "from pyspark.streaming import StreamingContext",
            "from dstream_compat import StreamingContext",
        ),
        (
            "from pyspark.streaming.context import StreamingContext",
            "from dstream_compat.context import StreamingContext",
        ),
        (
            "from   pyspark . streaming\timport\\\n  StreamingContext, \\\n DStream",
            "from   dstream_compat\timport\\\n  StreamingContext, \\\n DStream",
        ),
        (
            "from pyspark.streaming import (  # a\n  StreamingContext , # b\n  DStream # c\n ) # d",
            "from dstream_compat import (  # a\n  StreamingContext , # b\n  DStream # c\n ) # d",
        ),
        (
            "from pyspark.streaming import StreamingContext, StreamingListener as L",
            "from dstream_compat import StreamingContext, StreamingListener as L",
        ),
        ("from pyspark.streaming import *", "from dstream_compat import *"),
        (
            "import findspark; findspark.init(); from pyspark.streaming import StreamingContext",
            "import findspark; findspark.init(); from dstream_compat import StreamingContext",
        ),
        (
            "if True: from pyspark.streaming import StreamingContext",
            "if True: from dstream_compat import StreamingContext",
        ),
        (
            "try:\n\tfrom pyspark.streaming import StreamingContext\nexcept ImportError:\n\traise",
            "try:\n\tfrom dstream_compat import StreamingContext\nexcept ImportError:\n\traise",
        ),
    ],
)
def test_an_import_is_edited_where_it_stands(before: str, after: str) -> None:
    check_rewritten(f"{before}\n{CTX}", f"{after}\n{CTX}")


@pytest.mark.parametrize(
    "module", ["context", "dstream", "listener", "util", "kafka", "kinesis", "flume", "mqtt"]
)
def test_every_submodule_has_its_counterpart(module: str) -> None:
    check_rewritten(
        f"import pyspark.streaming.{module} as m\nprint(m)\n",
        f"import dstream_compat.{module} as m\nprint(m)\n",
    )


def test_an_import_in_a_function_stays_there() -> None:
    check_rewritten(
        """
        def build(sc):
            from pyspark.streaming import StreamingContext  # late
            return StreamingContext(sc, 1)
        """,
        """
        def build(sc):
            from dstream_compat import StreamingContext  # late
            return StreamingContext(sc, 1)
        """,
    )


def test_dotted_uses_follow_a_plain_import() -> None:
    check_rewritten(
        """
        import pyspark.streaming

        class PythonSource(pyspark.streaming.StreamingListener):
            kind = pyspark.streaming.DStream

        ssc = pyspark . streaming \\
            .StreamingContext(sc, 1)
        """,
        """
        import dstream_compat

        class PythonSource(dstream_compat.StreamingListener):
            kind = dstream_compat.DStream

        ssc = dstream_compat \\
            .StreamingContext(sc, 1)
        """,
    )


def test_pyspark_stays_bound_where_it_is_used() -> None:
    check_rewritten(
        """
        def main():
            import pyspark.streaming  # both
            sc = pyspark.SparkContext()
            return pyspark.streaming.StreamingContext(sc, 1)
        """,
        """
        def main():
            import pyspark
            import dstream_compat  # both
            sc = pyspark.SparkContext()
            return dstream_compat.StreamingContext(sc, 1)
        """,
    )


def test_pyspark_is_bound_once() -> None:
    check_rewritten(
        """
        import pyspark.streaming
        import pyspark.streaming.kafka
        ssc = pyspark.streaming.StreamingContext(pyspark.SparkContext(), 1)
        pyspark.streaming.kafka.KafkaUtils.createStream(ssc, "z", "g", {}, {"bootstrap.servers": b})
        """,
        """
        import pyspark
        import dstream_compat
        import dstream_compat.kafka
        ssc = dstream_compat.StreamingContext(pyspark.SparkContext(), 1)
        dstream_compat.kafka.KafkaUtils.createStream(ssc, "z", "g", {}, {"bootstrap.servers": b})
        """,
    )


def test_a_plain_import_that_only_binds_pyspark_becomes_that() -> None:
    check_rewritten(
        "import os, pyspark.streaming\nsc = pyspark.SparkContext(os.sep)\n",
        "import os, pyspark\nsc = pyspark.SparkContext(os.sep)\n",
    )


def test_one_of_several_plain_imports_is_exchanged() -> None:
    check_rewritten(
        "import os, pyspark.streaming as s, sys\nprint(os, s.StreamingContext, sys)\n",
        "import os, dstream_compat as s, sys\nprint(os, s.StreamingContext, sys)\n",
    )


def test_import_pyspark_alone_is_enough_for_a_dotted_use() -> None:
    check_rewritten(
        """
        import pyspark as ps
        ssc = ps.streaming.StreamingContext(ps.SparkContext(), 1)
        """,
        """
        import dstream_compat
        import pyspark as ps
        ssc = dstream_compat.StreamingContext(ps.SparkContext(), 1)
        """,
    )


def test_modules_that_the_legacy_package_brings_along_are_imported() -> None:
    check_rewritten(
        """
        import pyspark.streaming as s
        def f(x):
            return isinstance(x, s.dstream.DStream)
        """,
        """
        import dstream_compat.dstream
        import dstream_compat as s
        def f(x):
            return isinstance(x, s.dstream.DStream)
        """,
    )


def test_isinstance_asks_for_the_shims_class() -> None:
    check_rewritten(
        "from pyspark.streaming import DStream\nprint(isinstance(x, (list, DStream)))\n",
        "from dstream_compat import DStream\nprint(isinstance(x, (list, DStream)))\n",
    )


def test_annotations_that_are_strings_are_edited() -> None:
    check_rewritten(
        """
        import pyspark.streaming
        def f(x: "list[pyspark.streaming.DStream]") -> 'pyspark.streaming.DStream': ...
        """,
        """
        import dstream_compat
        def f(x: "list[dstream_compat.DStream]") -> 'dstream_compat.DStream': ...
        """,
    )


def test_docstrings_and_comments_stay() -> None:
    check_rewritten(
        '''
        """Uses pyspark.streaming."""
        from pyspark.streaming import StreamingContext
        # from pyspark.streaming import DStream
        ssc = StreamingContext(sc, 1)
        ''',
        '''
        """Uses pyspark.streaming."""
        from dstream_compat import StreamingContext
        # from pyspark.streaming import DStream
        ssc = StreamingContext(sc, 1)
        ''',
    )


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("from pyspark import streaming", "import dstream_compat as streaming"),
        (
            "from pyspark import streaming as s, SparkContext",
            "import dstream_compat as s\nfrom pyspark import SparkContext",
        ),
        (
            "from pyspark import SparkContext, streaming as s # x",
            "import dstream_compat as s\nfrom pyspark import SparkContext # x",
        ),
        (
            "x = 1; from pyspark import SparkContext, streaming as s",
            "x = 1; import dstream_compat as s; from pyspark import SparkContext",
        ),
        (
            "from pyspark import (\n    SparkContext,  # one\n    streaming as s,  # two\n"
            "    RDD,\n)",
            "import dstream_compat as s\nfrom pyspark import (\n    SparkContext,  # one\n"
            "    # two\n    RDD,\n)",
        ),
        (
            "from pyspark import (SparkContext,\n                     streaming as s)",
            "import dstream_compat as s\nfrom pyspark import (SparkContext)",
        ),
    ],
)
def test_the_package_taken_from_pyspark(before: str, after: str) -> None:
    name = "streaming" if before.endswith("streaming") else "s"
    check_rewritten(f"{before}\nprint({name})\n", f"{after}\nprint({name})\n")


def test_a_star_that_would_bring_a_name_used_otherwise_is_spelled_out() -> None:
    check_rewritten(
        "from states import State\nfrom pyspark.streaming import *\n"
        "print(State, StreamingContext)\n",
        "from states import State\n"
        "from dstream_compat import StreamingContext, DStream, StreamingListener\n"
        "print(State, StreamingContext)\n",
    )


def test_names_that_a_module_only_borrows_come_from_pyspark() -> None:
    check_rewritten(
        "from pyspark.streaming.context import SparkContext, StreamingContext\n"
        "print(SparkContext, StreamingContext)\n",
        "from dstream_compat.context import StreamingContext\n"
        "from pyspark import SparkContext\nprint(SparkContext, StreamingContext)\n",
    )


def test_kinesis_brings_its_storage_level() -> None:
    check_rewritten(
        "from pyspark.streaming.kinesis import KinesisUtils, StorageLevel\n"
        "print(KinesisUtils, StorageLevel)\n",
        "from dstream_compat.kinesis import KinesisUtils, StorageLevel\n"
        "print(KinesisUtils, StorageLevel)\n",
    )


def test_names_in_all_keep_their_import() -> None:
    check_rewritten(
        'from pyspark.streaming import DStream\n__all__ = ["DStream"]\n',
        'from dstream_compat import DStream\n__all__ = ["DStream"]\n',
    )


def test_line_ends_are_those_of_the_file() -> None:
    before = (
        "import pyspark.streaming\r\nsc = pyspark.SparkContext()\r\n"
        "s = pyspark.streaming.StreamingContext(sc, 1)"
    )
    after = (
        "import pyspark\r\nimport dstream_compat\r\nsc = pyspark.SparkContext()\r\n"
        "s = dstream_compat.StreamingContext(sc, 1)"
    )
    assert rewritten(before) == after


def test_modules_that_are_gone_are_errors() -> None:
    (finding,) = check_found(
        "DS101", "from pyspark.streaming.mqtt import MQTTUtils\nprint(MQTTUtils)\n", 1
    )
    assert finding.severity is Severity.ERROR
    (finding,) = check_found("DS101", "from pyspark.streaming import DStream\nprint(DStream)\n", 1)
    assert finding.severity is Severity.WARNING


@pytest.mark.parametrize(
    "code",
    [
        "from pyspark.sql.streaming import StreamingQuery\nprint(StreamingQuery)\n",
        "from .streaming import StreamingContext\nprint(StreamingContext)\n",
        "import mypyspark.streaming\nprint(mypyspark.streaming.X)\n",
        "from pyspark.streaming_tools import x\nprint(x)\n",
        "pyspark = load()\npyspark.streaming.StreamingContext(sc, 1)\n",
        "import dstream_compat\ndstream_compat.StreamingContext(sc, 1)\n",
        "def f(pyspark):\n    return pyspark.streaming\n",
    ],
)
def test_what_is_not_the_legacy_package_stays(code: str) -> None:
    check_noop("DS101", code)
    assert rewritten(code) == code


IN_F_STRINGS = '''\
import pyspark.streaming
a = f"{pyspark.streaming.DStream}{pyspark.streaming.DStream!r:>{pyspark.streaming.WIDTH}}"
b = ("pyspark.streaming.DStream" f"é pyspark.streaming {pyspark.streaming.DStream}"
     rf"""{{pyspark.streaming}}
  {
    pyspark . streaming.DStream, pyspark.streaming.StreamingContext }""")
'''


def test_uses_in_f_strings_move_and_the_text_around_them_stays() -> None:
    check_rewritten(
        IN_F_STRINGS,
        '''\
import dstream_compat
a = f"{dstream_compat.DStream}{dstream_compat.DStream!r:>{dstream_compat.WIDTH}}"
b = ("pyspark.streaming.DStream" f"é pyspark.streaming {dstream_compat.DStream}"
     rf"""{{pyspark.streaming}}
  {
    dstream_compat.DStream, dstream_compat.StreamingContext }""")
''',
    )


def test_where_python_does_not_know_their_places_they_are_left_and_told(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("migrator.rules._uses.exact_in_f_strings", lambda: False)
    (finding,) = check_found("DS101", IN_F_STRINGS, 1)
    assert finding.readiness is Readiness.DECIDE
    assert finding.fix is None
    assert rewritten(IN_F_STRINGS) == IN_F_STRINGS


def test_a_module_that_the_shim_does_not_bring_along_is_imported_once() -> None:
    check_rewritten(
        "import pyspark.streaming\nimport pyspark.streaming.kafka\n"
        "print(pyspark.streaming.dstream.DStream, pyspark.streaming.kafka.KafkaUtils)\n",
        "import dstream_compat.dstream\nimport dstream_compat\nimport dstream_compat.kafka\n"
        "print(dstream_compat.dstream.DStream, dstream_compat.kafka.KafkaUtils)\n",
    )


def test_the_string_of_a_cast_is_an_annotation() -> None:
    check_rewritten(
        "import pyspark.streaming\nfrom typing import cast\n"
        'cast("pyspark.streaming.DStream", x).pprint()\n',
        "import dstream_compat\nfrom typing import cast\n"
        'cast("dstream_compat.DStream", x).pprint()\n',
    )


def test_a_module_imported_in_a_function_is_not_there_for_others() -> None:
    check_rewritten(
        """
        import pyspark.streaming
        def f():
            import pyspark.streaming.kafka
        print(pyspark.streaming.kafka.KafkaUtils)
        """,
        """
        import dstream_compat.kafka
        import dstream_compat
        def f():
            import dstream_compat.kafka
        print(dstream_compat.kafka.KafkaUtils)
        """,
    )


def test_an_import_is_not_taken_away_from_a_use_that_is_not_followed() -> None:
    code = """
    class Job:
        import pyspark.streaming
        def run(self, stream: pyspark.streaming.DStream): ...
    """
    (finding,) = check_found("DS101", code, 3)
    assert finding.readiness is Readiness.DECIDE


def test_a_use_outside_the_function_that_imports_finds_the_shim() -> None:
    check_rewritten(
        """
        import pyspark
        def make(sc):
            import pyspark.streaming
            return pyspark.streaming.StreamingContext(sc, 1)
        def is_stream(x):
            return isinstance(x, pyspark.streaming.DStream)
        """,
        """
        import dstream_compat
        import pyspark
        def make(sc):
            import dstream_compat
            return dstream_compat.StreamingContext(sc, 1)
        def is_stream(x):
            return isinstance(x, dstream_compat.DStream)
        """,
    )


def test_every_function_that_imports_pyspark_alone_imports_the_shim() -> None:
    check_rewritten(
        """
        def make(sc):
            import pyspark
            return pyspark.streaming.StreamingContext(sc, 1)
        def is_stream(x):
            import pyspark as spark
            return isinstance(x, spark.streaming.DStream)
        """,
        """
        def make(sc):
            import dstream_compat
            import pyspark
            return dstream_compat.StreamingContext(sc, 1)
        def is_stream(x):
            import dstream_compat
            import pyspark as spark
            return isinstance(x, dstream_compat.DStream)
        """,
    )


def test_an_import_into_the_module_from_a_function_is_left_to_the_user() -> None:
    code = """
        def setup():
            global pyspark
            import pyspark.streaming
        def is_stream(x):
            return isinstance(x, pyspark.streaming.DStream)
        """
    [finding] = check_found("DS101", code, 4)
    assert finding.fix is None
    assert finding.readiness is Readiness.DECIDE


@pytest.mark.parametrize("error", [" ImportError", " (ImportError, OSError) as e", ""])
@pytest.mark.parametrize(
    ("shim", "legacy"),
    [
        ("from dstream_compat import StreamingContext", "from {} import StreamingContext"),
        ("import dstream_compat.kafka as kafka", "import {}.kafka as kafka"),
        ("import dstream_compat as streaming", "from pyspark import streaming  # not {}"),
    ],
)
def test_what_is_there_for_machines_without_the_shim_stays(
    shim: str, legacy: str, error: str
) -> None:
    code = f"try:\n    {shim}\nexcept{error}:\n    {legacy.format('pyspark.streaming')}\n{CTX}"
    check_rewritten(code, code)


def test_behind_other_errors_an_import_moves() -> None:
    code = "try:\n    import dstream_compat\nexcept KeyError:\n    from {} import DStream as D\nD\n"
    check_rewritten(code.format("pyspark.streaming"), code.format("dstream_compat"))
