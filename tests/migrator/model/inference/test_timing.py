"""What comes behind start()."""

from __future__ import annotations

import pytest

from tests.migrator.model.inference import job, place, streaming

AFTER = {
    "in the same body": "ssc.start()\nlines.pprint()\n",
    "in a branch": "ssc.start()\nif flag:\n    lines.pprint()\n",
    "behind a branch that may start": "if flag:\n    ssc.start()\nlines.pprint()\n",
    "in a loop": "ssc.start()\nwhile True:\n    lines.pprint()\n",
    "in a function that is only called then": "def f():\n    lines.pprint()\nssc.start()\nf()\n",
    "in a function that is given the stream": (
        "def f(s):\n    s.pprint()\nssc.start()\nf(lines)\n"
    ),
    "started by a function": "def run(c):\n    c.start()\nrun(ssc)\nlines.pprint()\n",
    "started in try": "try:\n    ssc.start()\nexcept ValueError:\n    raise\nlines.pprint()\n",
    "by a thread": (
        "import threading\ndef f():\n    lines.pprint()\n"
        "ssc.start()\nthreading.Thread(target=f).start()\n"
    ),
    "by a thread that was made before": (
        "from threading import Thread\ndef f(s):\n    s.pprint()\n"
        "Thread(target=f, args=(lines,)).start()\nssc.start()\n"
    ),
    "by a timer": (
        "from threading import Timer\ndef f():\n    lines.pprint()\n"
        "Timer(10, f).start()\nssc.start()\n"
    ),
    "by a signal": (
        "import signal\ndef f(number, frame):\n    lines.pprint()\n"
        "signal.signal(signal.SIGUSR1, f)\nssc.start()\n"
    ),
    "by a method": (
        "class A:\n    def go(self):\n        ssc.start()\n        self.more()\n"
        "    def more(self):\n        lines.pprint()\nA().go()\n"
    ),
}


@pytest.mark.parametrize("body", AFTER.values(), ids=AFTER.keys())
def test_an_output_after_start_is_known(body: str) -> None:
    assert {c.method: c.after_start for c in streaming(job(body))}["pprint"]


BEFORE = {
    "in front": "lines.pprint()\nssc.start()\n",
    "in a function that is called before, too": (
        "def f():\n    lines.pprint()\nf()\nssc.start()\nf()\n"
    ),
    "another context": (
        "other = StreamingContext(sc, 1)\nother.start()\nlines.pprint()\nssc.start()\n"
    ),
    "behind a branch that starts and leaves": (
        "import sys\nif flag:\n    ssc.start()\n    sys.exit(0)\nlines.pprint()\nssc.start()\n"
    ),
    "a thread that starts the job itself": (
        "import threading\ndef f():\n    lines.pprint()\n    ssc.start()\n"
        "threading.Thread(target=f).start()\n"
    ),
    "a process that does everything": (
        "from multiprocessing import Process\n"
        "def f():\n    c = StreamingContext(sc, 1)\n"
        "    c.textFileStream(p).pprint()\n    c.start()\n"
        "Process(target=f).start()\n"
    ),
    "a context that is made anew in every round": (
        "while True:\n    c = StreamingContext(sc, 1)\n    c.textFileStream(p).pprint()\n"
        "    c.start()\n    c.stop()\n"
    ),
}


@pytest.mark.parametrize("body", BEFORE.values(), ids=BEFORE.keys())
def test_an_output_before_start_is_known(body: str) -> None:
    assert not {c.method: c.after_start for c in streaming(job(body))}["pprint"]


def test_starting_twice_shows() -> None:
    of = job("ssc.start()\nssc.awaitTermination()\nssc.start()\n")
    calls = streaming(of)[2:]
    assert [(place(c), c.after_start) for c in calls] == [(4, False), (5, True), (6, True)]
