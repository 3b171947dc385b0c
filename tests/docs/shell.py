"""Runs the commands of the pages in bash, in a directory with the files the pages mention."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from contextlib import redirect_stdout
from dataclasses import dataclass
from io import StringIO
from pathlib import Path

from dstream_parity.verify.coordinator.request import Request
from dstream_parity.verify.coordinator.verification import Children, verify
from dstream_parity.verify.report import write_reports
from migrator.commands.verify import command as verify_command
from tests.docs.blocks import ROOT, Command

DESK = Path(__file__).parent / "desk"
PLACEHOLDERS = {"[options]": "--master 'local[2]'", "[arguments]": "--check"}
_PROGRAMS = {
    "migrate": '"{python}" -m migrator "$@"',
    "python": '"{python}" "$@"',
    "spark-submit": '"{submit}" "$@"',
}
_VARIES = (
    (re.compile(r"\d+\.\d+\.\d+"), "VERSION"),
    (re.compile(r"^Time: \d{4}-\d\d-\d\d \d\d:\d\d:\d\d$", re.M), "Time: NOW"),
)


@dataclass(frozen=True)
class Done:
    code: int
    output: str


def set_up(folder: Path) -> Path:
    """A directory with the samples, some jobs and their batches; see ``desk/``."""
    shutil.copytree(DESK, folder)
    shutil.copytree(ROOT / "samples", folder / "samples")
    word_count = folder / "samples/legacy/network_wordcount.py"
    shutil.copy(word_count, folder)
    (folder / "moved").mkdir()
    moved = (folder / "samples/migrated/network_wordcount.py").read_text(encoding="utf-8")
    assert 'line.split(" ")' in moved
    text = moved.replace('line.split(" ")', "line.split()")
    (folder / "moved" / word_count.name).write_text(text, encoding="utf-8")
    (folder / "path/of/the/job").mkdir(parents=True)
    return folder


def make_repository(desk: Path) -> None:
    """A repository with the jobs as they are, and another commit on top."""
    who = ("-c", "user.name=somebody", "-c", "user.email=somebody@example.org")
    commit = ["commit", "-q", "--allow-empty", "-m", "x"]
    for words in (["init", "-q"], ["add", "jobs"], commit, commit):
        subprocess.run(["git", *who, *words], cwd=desk, check=True)


class Shell:
    """Runs commands as a user would. A command that starts Spark runs once, even if several pages
    show it."""

    def __init__(self, programs: Path, both: Callable[[], Children]) -> None:
        self._both = both
        self._done: dict[tuple[str, ...], Done] = {}
        self._path = os.pathsep.join([str(programs), os.environ["PATH"]])
        submit = Path(sys.executable).parent / "spark-submit"
        for name, line in _PROGRAMS.items():
            script = line.format(python=sys.executable, submit=submit)
            (programs / name).write_text(f"#!/bin/sh\n{script}\n", encoding="utf-8")
            (programs / name).chmod(0o755)

    def run(self, command: Command, desk: Path) -> Done:
        words = command.words
        if words[:2] == ["migrate", "verify"]:
            return self._once(command, lambda: self._verify(words[2:], desk))
        line = command.line
        for placeholder, stands_for in PLACEHOLDERS.items():
            line = line.replace(placeholder, stands_for)
        # the pages do not show what Spark logs
        errors = subprocess.STDOUT if words[0] == "migrate" else subprocess.PIPE
        if words[0] in ("python", "spark-submit"):
            return self._once(command, lambda: self._bash(line, desk, errors))
        return self._bash(line, desk, errors)

    def _once(self, command: Command, run: Callable[[], Done]) -> Done:
        words = tuple(command.words)
        if words not in self._done:
            self._done[words] = run()
        return self._done[words]

    def _bash(self, line: str, desk: Path, errors: int) -> Done:
        done = subprocess.run(
            ["bash", "-c", line],
            cwd=desk,
            env={**os.environ, "PATH": self._path},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=errors,
            text=True,
            timeout=280,
        )
        return Done(done.returncode, done.stdout + (done.stderr or "") * (done.returncode > 1))

    def _verify(self, words: list[str], desk: Path) -> Done:
        """``migrate verify``, from its command line on, with processes that start only once."""
        options = dict(verify_command.make_context("verify", words).params)
        options["examples"] = min(options["examples"], 1)  # 50 take minutes
        here = os.getcwd()
        os.chdir(desk)
        try:
            request = Request.from_json(json.dumps(options))
            outcome = verify(request, using=self._both())
            with redirect_stdout(StringIO()) as told:
                write_reports(outcome, request)
        finally:
            os.chdir(here)
        return Done(outcome.verdict.exit_code, told.getvalue())


def assert_shown(shown: tuple[str, ...], output: str) -> None:
    """The output is what a page shows. "…" stands for any lines; versions and times may vary."""
    pattern = "".join(
        r"(?:.*\n)*?" if line == "…" else re.escape(_steady(line)) + r"\n" for line in shown
    )
    text = "".join(f"{line}\n" for line in _steady(output).splitlines())
    expected = "\n".join(shown)
    assert re.fullmatch(pattern, text) is not None, f"the page shows\n{expected}\nit is\n{output}"


def _steady(text: str) -> str:
    for pattern, name in _VARIES:
        text = pattern.sub(name, text)
    return text
