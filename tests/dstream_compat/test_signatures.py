"""Every public name of ``pyspark.streaming`` is ours, too, and takes the same arguments."""

from __future__ import annotations

import inspect
from typing import Any

import pyspark.streaming
import pyspark.streaming.dstream
import pyspark.streaming.util
import pytest

import dstream_compat
import dstream_compat.dstream
import dstream_compat.util
from dstream_parity.engines.in_process import LocalContext

PAIRS = {
    "StreamingContext": (pyspark.streaming.StreamingContext, dstream_compat.StreamingContext),
    "DStream": (pyspark.streaming.DStream, dstream_compat.DStream),
    "TransformedDStream": (
        pyspark.streaming.dstream.TransformedDStream,
        dstream_compat.dstream.TransformedDStream,
    ),
    "StreamingListener": (pyspark.streaming.StreamingListener, dstream_compat.StreamingListener),
}

# What the legacy classes do not have.
NEW = {
    "StreamingContext": {"receiverStream", "dataFrameStream", "state_metrics"},
    "DStream": {"mapWithState", "named", "saveAsPickleFiles", "toDF"},
    "TransformedDStream": {"mapWithState", "named", "saveAsPickleFiles", "toDF"},
    "StreamingListener": set(),
}

# Parameters behind the legacy ones, each with a default.
EXTENDED = {("StreamingContext", "getOrCreate"): ["rebuild"]}

# A DStream is made by methods only; the legacy constructor takes the Java stream behind it.
NOT_THE_SAME = {("DStream", "__init__")}

# Named for the registration with the JVM, which ours does not need.
JVM_ONLY = {("StreamingListener", "Java")}


def public(cls: type) -> set[str]:
    return {name for name in dir(cls) if not name.startswith("_")}


def shared() -> list[Any]:
    """(class, member) for all that can be called: public methods, and the constructors."""
    return [
        pytest.param(kind, name, id=f"{kind}.{name}")
        for kind, (legacy, _) in PAIRS.items()
        for name in sorted(public(legacy) | {"__init__"})
        if (kind, name) not in NOT_THE_SAME | JVM_ONLY and inspect.isroutine(getattr(legacy, name))
    ]


def parameters(function: Any) -> list[tuple[str, Any, Any]]:
    """Name, kind and default: annotations are not part of what a job relies on."""
    return [(p.name, p.kind, p.default) for p in inspect.signature(function).parameters.values()]


@pytest.mark.parametrize("kind", PAIRS)
def test_no_public_name_is_missing_and_new_ones_are_listed(kind: str) -> None:
    legacy, ours = map(public, PAIRS[kind])
    expected = {name for name in legacy if (kind, name) not in JVM_ONLY}
    assert expected - ours == set()
    assert ours - expected == NEW[kind]


@pytest.mark.parametrize(("kind", "name"), shared())
def test_parameters_are_the_legacy_ones(kind: str, name: str) -> None:
    legacy, ours = (parameters(getattr(cls, name)) for cls in PAIRS[kind])
    assert ours[: len(legacy)] == legacy
    assert [parameter[0] for parameter in ours[len(legacy) :]] == EXTENDED.get((kind, name), [])


@pytest.mark.parametrize(("kind", "name"), shared())
def test_class_methods_are_class_methods_and_methods_are_methods(kind: str, name: str) -> None:
    legacy, ours = (inspect.getattr_static(cls, name) for cls in PAIRS[kind])
    assert isinstance(ours, classmethod) == isinstance(legacy, classmethod)


def test_spark_context_is_a_property_on_both() -> None:
    for cls in PAIRS["StreamingContext"]:
        assert isinstance(inspect.getattr_static(cls, "sparkContext"), property)


def test_the_package_exports_what_the_legacy_package_exports() -> None:
    new = {"Receiver", "State", "StateSpec"}
    assert set(dstream_compat.__all__) - set(pyspark.streaming.__all__) == new
    assert set(pyspark.streaming.__all__) <= set(dstream_compat.__all__)


def test_a_stream_has_the_attributes_that_legacy_streams_have() -> None:
    ssc = dstream_compat.StreamingContext(LocalContext(), 1)  # type: ignore[arg-type]
    stream = ssc.queueStream([[1]])
    assert stream.is_cached is False
    assert stream.is_checkpointed is False
    assert stream.context() is ssc
    assert stream._slideDuration == 1.0
    assert isinstance(stream.map(str), dstream_compat.dstream.TransformedDStream)


def test_file_names_are_made_by_the_same_function_signature() -> None:
    legacy, ours = (
        module.rddToFileName for module in (pyspark.streaming.util, dstream_compat.util)
    )
    assert parameters(ours) == parameters(legacy)
