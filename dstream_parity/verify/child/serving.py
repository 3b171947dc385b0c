"""``python -m dstream_parity.verify.child.serving``: runs jobs on one engine, one after the other.

Orders come as JSON lines on standard input, news goes out as JSON lines on a separate file
descriptor; what a run saw goes into a file, pickled.
"""

from __future__ import annotations

import io
import json
import os
import pickle
import signal
import sys
import threading
import time
import traceback
import warnings
from types import ModuleType
from typing import Any

from dstream_parity.verify.child import actions, diagnoses, sites, standins
from dstream_parity.verify.child.daemon import PRELUDE
from dstream_parity.verify.child.engines import DrivenEngine, Legacy, Ours
from dstream_parity.verify.child.job import JobFile, execute, forget
from dstream_parity.verify.child.patches import connectors
from dstream_parity.verify.child.patches import job_patches as patches
from dstream_parity.verify.child.patches.sparks import Sparks
from dstream_parity.verify.child.run import Run, begin, current
from dstream_parity.verify.errors import Refused
from migrator.files.writing import create

_IDLE = 5.0  # seconds a job has to ask for its batches before it gets them unasked
_ASKED_SINCE = 2.0  # seconds to find out whether it asked after all
_TAIL = 20.0  # seconds a job has left after its last batch


class ChildServer:
    """The engine, Spark and the line to the coordinator."""

    def __init__(self, side: str, directory: str, news: int) -> None:
        self._news = os.fdopen(news, "w", encoding="utf-8")
        self._lock = threading.Lock()
        # a job that reads standard input must not read these
        self._orders = os.fdopen(os.dup(0), encoding="utf-8")
        with open(os.devnull) as nothing:
            os.dup2(nothing.fileno(), 0)
        if side == "ours":
            from dstream_compat import aliases

            # for rewritten jobs, too: the modules they import may not be rewritten
            aliases.install()
        warnings.filterwarnings("ignore", "DStream is deprecated", FutureWarning)
        self._sparks = Sparks(directory)
        self._sparks.install()
        self._engine: DrivenEngine = Ours() if side == "ours" else Legacy()
        self._contexts = 0
        self._count_contexts()
        patches.install(self._engine, current)
        actions.install()
        connectors.install(current, ours=side == "ours")
        _stand_in_for_findspark()

    def tell(self, event: str, **facts: Any) -> None:
        with self._lock:
            self._news.write(json.dumps({"event": event, **facts}) + "\n")
            self._news.flush()

    def serve(self) -> None:
        self.tell("ready")
        for line in self._orders:
            order = json.loads(line)
            self._run(order)
        self._sparks.close()

    def _run(self, order: dict[str, Any]) -> None:
        job = JobFile.from_order(order["job"])
        known = set(sys.modules)
        try:
            with open(order["feed"], "rb") as file:
                feed = pickle.load(file)
        except Exception as error:  # loading classes of the job's modules runs them
            traceback.print_exc()
            self.tell("failed", why=diagnoses.feed(error))
            self.tell("over")
            return

        def tell(event: str, **facts: Any) -> None:
            if event == "through":  # whatever the job does next must not lose what was seen
                self._save(run, order["result"])
            self.tell(event, **facts)

        run = Run(
            self._engine,
            feed,
            run_outputs=order["run_outputs"],
            batch_timeout=order["batch_timeout"],
            checkpoint_directory=self._sparks.checkpoint_directory,
            tell=tell,
        )
        begin(run)
        self._contexts = 0
        if os.environ.get(PRELUDE, "") != (job.prelude or ""):
            self._sparks.close()  # workers have the prelude they were started with
        os.environ[PRELUDE] = job.prelude or ""
        watch = _Watch(run, job, order["graph_timeout"], self.tell)
        try:
            self._execute(run, job, order)
            self._save(run, order["result"])
            self.tell("result")
        except Refused as refused:
            self.tell("failed", why=str(refused))
        except BaseException as error:
            traceback.print_exc()
            self.tell("failed", why=diagnoses.of(error, job, order["show_values"]))
        finally:
            watch.done.set()
            self._clean_up(run)
            forget(known)
        self.tell("over")

    def _execute(self, run: Run, job: JobFile, order: dict[str, Any]) -> None:
        try:
            execute(job, self._shell_names() if job.shell else {})
        except Refused:
            raise
        except BaseException as error:
            if run.ssc is None and run.refused is None:
                raise
            if not run.driven:
                run.note(diagnoses.after_start(error, job))
            traceback.print_exc()
        if run.refused is not None:
            raise run.refused
        if run.ssc is None:
            raise Refused(diagnoses.never_started(self._contexts, len(run.seen.outputs)))
        run.drive(run.ssc)

    def _save(self, run: Run, path: str) -> None:
        seen = io.BytesIO()
        standins.dump(run.seen, seen)
        create(path, seen.getvalue())  # at once: the process may be ended meanwhile

    def _shell_names(self) -> dict[str, Any]:
        from pyspark.sql import SparkSession

        sc = self._sparks.context()
        spark = SparkSession.builder.getOrCreate()
        return {"sc": sc, "spark": spark, "sqlContext": spark, "sqlCtx": spark}

    def _clean_up(self, run: Run) -> None:
        if run.ssc is not None and not run.driven:
            try:
                self._engine.stop(run.ssc)
            except Exception:
                traceback.print_exc()
        self._engine.context._activeContext = None
        self._sparks.forget_sessions()

    def _count_contexts(self) -> None:
        kind = self._engine.context
        made = kind.__init__

        def init(ssc: Any, *args: Any, **named: Any) -> None:
            self._contexts += 1
            made(ssc, *args, **named)

        kind.__init__ = init


class _Watch:
    """Ends the process if a job neither starts nor ends: nothing within Python can stop it."""

    def __init__(self, run: Run, job: JobFile, graph_timeout: float, tell: Any) -> None:
        self.done = threading.Event()
        self._run, self._job, self._timeout, self._tell = run, job, graph_timeout, tell
        self._unasked = False
        threading.Thread(target=self._watch, daemon=True).start()

    def _watch(self) -> None:
        began, through = time.monotonic(), 0.0
        while not self.done.wait(0.2):
            now = time.monotonic()
            if self._run.ssc is None and now > began + self._timeout:
                self._tell("failed", why=self._late())
                self._end("over")
            if self._run.waits_for(_IDLE):
                self._drive()
            through = through or (now if self._run.driven else 0.0)
            tail = _IDLE if self._unasked else _TAIL
            if through and now > through + tail:
                self._end("stuck", at=self._where())

    def _drive(self) -> None:
        """Run the batches for a job that waits for them in its own way."""
        self._unasked = True  # most such jobs keep waiting, for something their bodies would do
        try:
            self._run.drive(self._run.ssc)
        except Refused as refused:
            why = str(refused)
        except Exception as error:
            traceback.print_exc()
            why = diagnoses.in_batches(error, self._where())
        else:
            return
        if not self.done.wait(
            _ASKED_SINCE
        ):  # a job that has asked in the meantime reports it itself
            self._tell("failed", why=why)
            self._end("over")

    def _end(self, event: str, **facts: Any) -> None:
        self._tell(event, ended=True, **facts)
        os._exit(3)

    def _late(self) -> str:
        return (
            f"the job had not started its StreamingContext after {self._timeout:g} s (it was at "
            f"{self._where()}): if it waits for something outside, provide a stand-in with "
            "--prelude FILE; --graph-timeout allows more time"
        )

    def _where(self) -> str:
        frame = sys._current_frames().get(self._run.thread.ident or 0)
        while frame is not None:
            filename = frame.f_code.co_filename
            if os.path.abspath(filename).startswith((*self._job.homes, self._job.file)):
                return sites.place(filename, frame.f_lineno)
            frame = frame.f_back
        return self._job.name


def _stand_in_for_findspark() -> None:
    """Half of all notebooks begin with it, and Spark has been found here."""
    module = ModuleType("findspark")
    for name in ("init", "find", "add_packages", "add_jars"):
        setattr(module, name, lambda *args, **named: None)
    sys.modules["findspark"] = module


def main() -> None:
    side, directory, news = sys.argv[1:]
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the coordinator ends its child processes itself
    ChildServer(side, directory, int(news)).serve()


if __name__ == "__main__":
    # Imported by name: what it defines must be found again from the job's side.
    from dstream_parity.verify.child import serving as child

    child.main()
