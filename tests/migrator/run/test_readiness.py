"""How ready a job is."""

from __future__ import annotations

from migrator.core import Confidence, Readiness, Safety
from migrator.model.inference import analyse
from migrator.model.jobmodel import Role
from migrator.rules.ds603_boolean_context import RULE
from migrator.run.readiness import JobReport, assess, of_finding
from migrator.text.source import PythonSource
from tests.migrator.report import finding

CODE = """\
from pyspark.streaming import StreamingContext
ssc = StreamingContext(sc, 2)
lines = ssc.socketTextStream("localhost", 9999)
lines.map(str).filter(bool).pprint()
lines.map(len).map(abs).pprint()
ssc.start()
"""
SOURCE = PythonSource.read("job.py", CODE.encode())
PROJECT = analyse([SOURCE])
(JOB,) = PROJECT.jobs


def assessed(*levels: tuple[str, Readiness], complete: bool = True) -> JobReport:
    """With a finding on each of these pieces of the code."""
    found = []
    for text, level in levels:
        node = next(node for node in SOURCE.nodes if _is(node, text))
        found.append(RULE.at(SOURCE, node, readiness=level))
    return assess(PROJECT, JOB, {"job.py": found}, complete=complete)


def _is(node: object, text: str) -> bool:
    return hasattr(node, "lineno") and SOURCE.code(node) == text  # type: ignore[arg-type]


def test_a_job_without_findings_is_ready_and_all_its_uses_are_supported() -> None:
    report = assessed()
    assert report.readiness is Readiness.READY
    assert (report.supported, report.uses) == (9, 9)


def test_a_job_is_as_ready_as_its_worst_finding() -> None:
    decide, unknown = ("lines.map(str)", Readiness.DECIDE), ("lines.map(len)", Readiness.UNKNOWN)
    assert assessed(("lines", Readiness.READY)).readiness is Readiness.READY
    assert assessed(decide).readiness is Readiness.DECIDE
    assert assessed(decide, unknown).readiness is Readiness.UNKNOWN
    assert assessed(unknown, ("ssc", Readiness.BLOCKED)).readiness is Readiness.BLOCKED


def test_an_unsafe_fix_is_a_choice() -> None:
    assert of_finding(finding(readiness=Readiness.READY, fix=Safety.SAFE)) is Readiness.READY
    assert of_finding(finding(readiness=Readiness.READY, fix=Safety.UNSAFE)) is Readiness.DECIDE
    assert of_finding(finding(readiness=Readiness.BLOCKED, fix=Safety.UNSAFE)) is Readiness.BLOCKED


def test_a_job_with_a_module_that_failed_is_unknown_at_best() -> None:
    assert assessed(complete=False).readiness is Readiness.UNKNOWN
    blocked = assessed(("ssc", Readiness.BLOCKED), complete=False)
    assert blocked.readiness is Readiness.BLOCKED


def test_a_use_is_supported_unless_a_finding_on_it_says_blocked_or_unknown() -> None:
    assert assessed(("lines.map(str)", Readiness.DECIDE)).supported == 9
    assert assessed(("lines.map(str)", Readiness.BLOCKED)).supported == 8
    assert assessed(("lines.map(len).map(abs)", Readiness.UNKNOWN)).supported == 8


def test_two_findings_on_one_use_count_once() -> None:
    twice = ("lines.map(str)", Readiness.BLOCKED), ("str", Readiness.BLOCKED)
    assert assessed(*twice).supported == 8


def test_operations_are_counted_by_role() -> None:
    assert assessed().operations == {
        Role.SOURCE: {"socketTextStream": 1},
        Role.OPERATOR: {"map": 3, "filter": 1},
        Role.OUTPUT: {"pprint": 2},
    }


def test_confidence_does_not_change_readiness() -> None:
    for confidence in Confidence:
        sure = finding(readiness=Readiness.DECIDE, confidence=confidence)
        assert of_finding(sure) is Readiness.DECIDE
