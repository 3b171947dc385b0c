"""DS105: connectors that come from a copy."""

import pytest

from tests.migrator.rules import check_found, check_noop, rewritten

TAIL = """\
from pyspark.streaming import StreamingContext
MQTTUtils.createStream(StreamingContext(sc, 1), url, topic).pprint()
"""


@pytest.mark.parametrize("module", ["mqtt", "lib.mqtt", ".mqtt", "..lib"])
def test_a_copy_is_found_wherever_it_lies(module: str) -> None:
    check_found("DS105", f"from {module} import MQTTUtils\n{TAIL}", 1)


def test_a_copy_is_exchanged_only_where_asked_for() -> None:
    code = f"from lib.mqtt import MQTTUtils  # ours\n{TAIL}"
    assert "from lib.mqtt import MQTTUtils  # ours\n" in rewritten(code)
    assert "from dstream_compat.mqtt import MQTTUtils  # ours\n" in rewritten(code, unsafe=True)


def test_a_copy_among_other_names_is_left_alone() -> None:
    code = f"from lib.mqtt import MQTTUtils, topics\nprint(topics)\n{TAIL}"
    assert "from lib.mqtt import MQTTUtils, topics\n" in rewritten(code, unsafe=True)


@pytest.mark.parametrize(
    "code",
    [
        f"from pyspark.streaming.mqtt import MQTTUtils\n{TAIL}",
        f"from dstream_compat.mqtt import MQTTUtils\n{TAIL}",
        "from lib.files import FileUtils\nprint(FileUtils)\n",
        "class MQTTUtils:\n    pass\n",
    ],
)
def test_others_are_not_copies(code: str) -> None:
    check_noop("DS105", code)


def test_one_that_a_module_of_the_job_passes_on_is_not_a_copy() -> None:
    check_noop(
        "DS105",
        {
            "common.py": "from pyspark.streaming.mqtt import MQTTUtils\n",
            "api.py": "from common import MQTTUtils\n",
            "job.py": f"from api import MQTTUtils\n{TAIL}",
        },
    )
    check_found(
        "DS105",
        {"common.py": "class MQTTUtils: pass\n", "job.py": f"from common import MQTTUtils\n{TAIL}"},
        ("job.py", 1),
    )
