"""DS108: a job of which only a part of the modules can be moved."""

from tests.migrator.rules import check_found, check_noop

MAIN = """\
from pyspark.streaming import StreamingContext
from pipeline import build
ssc = StreamingContext(sc, 1)
build(ssc).pprint()
ssc.start()
"""
PIPELINE = "def build(ssc):\n    return ssc.socketTextStream('h', 1)\n"


def test_a_module_that_has_to_stay_is_named_in_the_others() -> None:
    stays = f"from pyspark.streaming.tests import Case\nprint(Case)\n{PIPELINE}"
    (finding,) = check_found("DS108", {"main.py": MAIN, "pipeline.py": stays}, ("main.py", 1))
    assert "pipeline.py" in finding.message


def test_a_job_that_moves_as_a_whole_is_fine() -> None:
    moves = f"from pyspark.streaming import DStream\nprint(DStream)\n{PIPELINE}"
    check_noop("DS108", {"main.py": MAIN, "pipeline.py": moves})
    check_noop("DS108", {"main.py": MAIN, "pipeline.py": PIPELINE})


def test_modules_of_other_jobs_do_not_matter() -> None:
    other = "from pyspark.streaming.tests import Case\nprint(Case)\n"
    check_noop("DS108", {"main.py": MAIN, "pipeline.py": PIPELINE, "other.py": other})
