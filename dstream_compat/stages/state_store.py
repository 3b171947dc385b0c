"""Structured Streaming's state store, as the store that stages write to.

One map per stage and slot. Spark's client waits for the answer to each call, so a batch with a few
hundred pages would mostly wait. Calls are therefore sent in bundles, and their answers read after.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

from pyspark.sql import Row
from pyspark.sql.streaming.stateful_processor import StatefulProcessor
from pyspark.sql.types import BinaryType, IntegerType, LongType, StructField, StructType

from dstream_compat.base.pyspark_internals import MapStateClient, state_messages
from dstream_compat.stages.state.store import Key

NAME = "pages"
KEY = StructType(
    [
        StructField("operator", IntegerType()),
        StructField("part", IntegerType()),
        StructField("space", IntegerType()),
        StructField("number", LongType()),
    ]
)
VALUE = StructType([StructField("content", BinaryType())])
_BUNDLE = 64  # calls
_BUNDLE_BYTES = 1024 * 1024


class SparkStore:
    """The map of one slot. Nothing else uses its connection while a stage runs."""

    def __init__(self, state: Any) -> None:
        self._client = MapStateClient.of(state)
        self._name = self._client.name

    def get_many(self, keys: Sequence[Key]) -> list[bytes | None]:
        messages = state_messages()
        calls = (
            messages.MapStateCall(
                stateName=self._name, getValue=messages.GetValue(userKey=self._pickled(key))
            )
            for key in keys
        )
        return [
            bytes(self._client.loads(value)[0]) if value else None for value in self._answers(calls)
        ]

    def change(self, values: Mapping[Key, bytes | None]) -> None:
        messages = state_messages()

        def calls() -> Iterator[Any]:
            for key, value in values.items():
                user_key = self._pickled(key)
                if value is None:
                    remove = messages.RemoveKey(userKey=user_key)
                    yield messages.MapStateCall(stateName=self._name, removeKey=remove)
                else:
                    content = self._pickled((value,))
                    update = messages.UpdateValue(userKey=user_key, value=content)
                    yield messages.MapStateCall(stateName=self._name, updateValue=update)

        for _ in self._answers(calls()):
            pass

    def _pickled(self, row: tuple[Any, ...]) -> bytes:
        return self._client.dumps(row)

    def _answers(self, calls: Iterable[Any]) -> Iterator[bytes]:
        messages = state_messages()
        bundle: list[bytes] = []
        size = 0
        for call in calls:
            variable = messages.StateVariableRequest(mapStateCall=call)
            request = messages.StateRequest(stateVariableRequest=variable).SerializeToString()
            bundle.append(request)
            size += len(request)
            if len(bundle) >= _BUNDLE or size > _BUNDLE_BYTES:
                yield from self._exchange(bundle)
                bundle, size = [], 0
        yield from self._exchange(bundle)

    def _exchange(self, requests: list[bytes]) -> Iterator[bytes]:
        stream = self._client.stream
        for request in requests:
            stream.write((0).to_bytes(4, "big") + len(request).to_bytes(4, "big"))
            stream.write(request)
        stream.flush()
        for _ in requests:
            status, message, value = self._client.answer()
            if status != 0:
                raise RuntimeError(f"the state store refused a call: {message}")
            yield value


def processor(run: Callable[[Any, Iterable[Any]], Iterator[Any]]) -> StatefulProcessor:
    """Runs ``run(state, rows)`` once per slot and micro-batch. Pickled by value."""
    name, key_schema, value_schema = NAME, KEY, VALUE

    class Stage(StatefulProcessor):
        def init(self, handle: Any) -> None:
            self._state = handle.getMapState(name, key_schema, value_schema)

        def handleInitialState(self, key: Any, row: Row, timerValues: Any) -> None:
            page = (row.operator, row.part, row.space, row.number)
            self._state.updateValue(page, (row.content,))

        def handleInputRows(self, key: Any, rows: Iterator[Row], timerValues: Any) -> Iterator[Any]:
            return run(self._state, rows)

        def close(self) -> None:
            pass

    return Stage()
