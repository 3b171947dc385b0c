"""The API as the migrator knows it is the real one."""

from __future__ import annotations

import importlib
import inspect
from collections.abc import Mapping
from typing import Any

import pytest

from migrator.model import api
from migrator.rules._names import in_shim


def public(cls: type) -> dict[str, Any]:
    return {n: inspect.getattr_static(cls, n) for n in dir(cls) if not n.startswith("_")}


def signature(function: Any) -> list[tuple[str, bool, bool]]:
    """Name, whether it must be given, whether it takes all the rest; without self."""
    found = list(inspect.signature(function).parameters.values())
    return [
        (
            p.name,
            p.default is p.empty and p.kind is not p.VAR_POSITIONAL,
            p.kind is p.VAR_POSITIONAL,
        )
        for p in found
        if p.name != "self"
    ]


def described(method: api.Method) -> list[tuple[str, bool, bool]]:
    return [(p.name, p.required, p.star) for p in method.parameters]


def compare(cls: type, table: Mapping[str, api.Method], extended: tuple[str, ...] = ()) -> None:
    for name, method in table.items():
        if name == "__init__" or name not in public(cls):
            continue
        if method.bare:
            assert isinstance(inspect.getattr_static(cls, name), property), name
            continue
        real = [*signature(getattr(cls, name))]
        ours = [p for p in described(method) if p[0] not in extended]
        assert ours == real, name


def test_the_legacy_classes_have_these_methods_and_parameters() -> None:
    streaming = importlib.import_module("pyspark.streaming")
    for cls, table in (
        (streaming.DStream, api.DSTREAM),
        (streaming.StreamingContext, api.STREAMING_CONTEXT),
    ):
        legacy = {n for n, m in table.items() if not m.shim_only and n != "__init__"}
        assert legacy == set(public(cls))
        compare(cls, table, extended=("rebuild",))
        assert described(table["__init__"]) == signature(cls.__init__)


def test_the_shims_classes_have_these_methods_and_parameters() -> None:
    shim = importlib.import_module("dstream_compat")
    with_state = importlib.import_module("dstream_compat.dstream").MapWithStateDStream
    for cls, table in (
        (with_state, api.DSTREAM),
        (shim.StreamingContext, api.STREAMING_CONTEXT),
        (shim.StateSpec, api.STATE_SPEC),
    ):
        assert {n for n in table if n != "__init__"} == set(public(cls))
        compare(cls, table)
    assert tuple(shim.__all__) == api.SHIM_NAMES


def test_the_submodules_have_these_names() -> None:
    for module, names in api.MODULES.items():
        if module in (".kafka", ".flume", ".mqtt"):
            continue  # no Spark since 3.0 has them
        real = importlib.import_module(api.LEGACY + module)
        assert [name for name in names if not hasattr(real, name)] == []
        assert [n for n in getattr(real, "__all__", []) if n not in names] == []


def test_the_shims_submodules_have_these_names() -> None:
    for module, names in api.MODULES.items():
        shim = importlib.import_module(api.SHIM + module)
        moved = {name for name in names if in_shim(api.LEGACY + module, name)}
        assert {name for name in moved if not hasattr(shim, name)} == set(), module


def test_kinesis_takes_these_parameters() -> None:
    real = importlib.import_module("pyspark.streaming.kinesis").KinesisUtils
    assert described(api.KINESIS_UTILS["createStream"]) == signature(real.createStream)


@pytest.mark.parametrize(
    ("module", "name", "table"),
    [
        ("kafka", "KafkaUtils", api.KAFKA_UTILS),
        ("mqtt", "MQTTUtils", api.MQTT_UTILS),
        ("kinesis", "KinesisUtils", api.KINESIS_UTILS),
    ],
)
def test_the_shims_connectors_take_what_spark_2_4_took(
    module: str, name: str, table: Mapping[str, api.Method]
) -> None:
    real = getattr(pytest.importorskip(f"dstream_compat.{module}"), name)
    for method in table.values():
        known = [parameter for parameter, _, _ in described(method)]
        known = [parameter for parameter in known if parameter != "metricsLevel"]  # new in Spark 3
        taken = [parameter for parameter, _, _ in signature(getattr(real, method.name))]
        assert taken[: len(known)] == known or set(known) <= set(taken)


@pytest.mark.parametrize("module", [".kafka", ".kinesis", ".flume", ".mqtt"])
def test_what_is_moved_to_the_shims_connectors_can_be_imported_there(module: str) -> None:
    shim = pytest.importorskip(f"dstream_compat{module}")
    assert [name for name in api.MODULES[module] if not hasattr(shim, name)] == []


def test_methods_that_only_streams_and_contexts_have_are_theirs_alone() -> None:
    rdd = importlib.import_module("pyspark").RDD
    frame = importlib.import_module("pyspark.sql").DataFrame
    assert set(api.DSTREAM) >= api.ONLY_STREAMS
    assert set(api.STREAMING_CONTEXT) >= api.ONLY_CONTEXTS
    for name in api.ONLY_STREAMS | api.ONLY_CONTEXTS:
        assert not hasattr(rdd, name)
        assert not hasattr(frame, name)


def test_methods_that_give_an_rdd_are_methods_of_an_rdd() -> None:
    rdd = importlib.import_module("pyspark").RDD
    assert {name for name in api.RDD_TO_RDD if not hasattr(rdd, name)} <= {"transform"}


def test_streaming_models_have_these_methods() -> None:
    clustering = importlib.import_module("pyspark.mllib.clustering")
    for name, method in api.STREAMING_MODELS["StreamingKMeans"].items():
        assert described(method) == signature(getattr(clustering.StreamingKMeans, name))


def test_names_are_at_home_where_people_import_them_from() -> None:
    assert api.HOMES["StreamingContext"] == "pyspark.streaming"
    assert api.HOMES["TransformedDStream"] == "pyspark.streaming.dstream"
    assert api.HOMES["TopicAndPartition"] == "pyspark.streaming.kafka"
    assert "utf8_decoder" not in api.HOMES
