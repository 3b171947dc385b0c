"""DS904: streams that are lost in a container."""

from dataclasses import replace

import pytest

from migrator.model.jobmodel import Escape, Escaping, Kind
from migrator.rules import ds904_container as rule
from tests.migrator.rules import HEAD, JOB, analysed, check_noop


def test_a_stream_that_is_lost() -> None:
    project = analysed(HEAD + "registry.streams = lines\n")
    module = project.modules[JOB]
    lost = Escape(module.source.tree.body[-1], Escaping.CONTAINER, Kind.STREAM, "registry")
    (found,) = rule.check(replace(module, escapes=(lost,)), project)
    assert found.line == 7


@pytest.mark.parametrize(
    "lines",
    [
        "streams = [lines]\nstreams[0].pprint()",
        "streams = {'a': lines}\nstreams['a'].pprint()",
        "one, two = lines, pairs\ntwo.pprint()",
        "rows = [1, 2]",
    ],
)
def test_containers_that_are_followed(lines: str) -> None:
    check_noop("DS904", HEAD + f"{lines}\n")
