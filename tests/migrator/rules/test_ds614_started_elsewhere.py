"""DS614: contexts that a child process starts."""

import pytest

from tests.migrator.rules import HEAD, check_found, check_noop

IMPORTS = "import multiprocessing as mp, threading\nfrom multiprocessing import Process\n"
JOB = IMPORTS + HEAD + "pairs.pprint()\n"


@pytest.mark.parametrize("process", ["Process", "mp.Process", "mp.context.Process"])
def test_a_function_that_starts_it(process: str) -> None:
    code = JOB + f"def run():\n    ssc.start()\n{process}(target=run).start()\n"
    check_found("DS614", code, 11)


def test_a_function_that_is_given_the_context() -> None:
    code = JOB + "def run(c, n):\n    c.start()\nProcess(target=run, args=(ssc, 1)).start()\n"
    check_found("DS614", code, 11)


def test_a_function_that_such_a_function_calls() -> None:
    code = JOB + "def go():\n    ssc.start()\ndef run():\n    go()\nProcess(target=run).start()\n"
    check_found("DS614", code, 11)


def test_a_lambda_and_the_method_itself() -> None:
    check_found("DS614", JOB + "Process(target=lambda: ssc.start()).start()\n", 10)
    check_found("DS614", JOB + "Process(target=ssc.start).start()\n", 10)


def test_a_class_that_is_a_process() -> None:
    code = """\
class Runner(Process):
    def __init__(self, ssc):
        super().__init__()
        self.ssc = ssc
    def run(self):
        self.ssc.start()
Runner(ssc).start()
"""
    check_found("DS614", JOB + code, 15)
    check_noop("DS614", JOB + code.replace("Process", "threading.Thread"))


def test_a_context_made_by_a_function_of_the_parent() -> None:
    code = """\
from multiprocessing import Process
from pyspark.streaming import StreamingContext
def make(sc):
    return StreamingContext(sc, 1)
def run(ssc):
    ssc.start()
if __name__ == "__main__":
    Process(target=run, args=(make(SparkContext()),)).start()
"""
    check_found("DS614", code, 6)


@pytest.mark.parametrize(
    "line",
    [
        "threading.Thread(target=ssc.start).start()",
        "threading.Timer(3, ssc.start).start()",
        "ssc.start(); Process(target=print).start()",
        "Process(target=ssc.awaitTermination).start()",
    ],
)
def test_threads_and_other_work_of_a_process(line: str) -> None:
    check_noop("DS614", JOB + line + "\n")


def test_a_child_that_makes_the_context_itself() -> None:
    code = """\
from multiprocessing import Process
from pyspark.streaming import StreamingContext
def make():
    return StreamingContext(SparkContext(), 1)
def run():
    ssc = make()
    ssc.start()
Process(target=run).start()
"""
    check_noop("DS614", code)


def test_outputs_behind_a_start_that_comes_at_some_time_are_not_late() -> None:
    check_noop("DS502", JOB + "t = threading.Thread(target=ssc.start)\nlines.pprint()\nt.start()\n")
