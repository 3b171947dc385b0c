"""The user's functions on their way to the workers: pickled again for every micro-batch.

legacy: functions are pickled when a batch is generated, so a ``map`` sees what the driver changed
since the last one. The plan of a query is fixed, so the functions travel beside it, in a local
property of the job (a file, where they are large). ``stages.orders`` opens them.
"""

from __future__ import annotations

import hashlib
import io
import os
import pickle
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

from pyspark import Broadcast, SparkContext, cloudpickle

from dstream_compat.base.pyspark_internals import (
    broadcast_file,
    broadcast_id,
    encrypts_files,
    setting,
)
from dstream_compat.base.settings import size
from dstream_compat.engine.executor_files import Published
from dstream_compat.stages.operators.wide import MEMORY
from dstream_compat.stages.orders import PROPERTY, KafkaOrders, TaskOrders, open_broadcast

_LARGE = 256 * 1024
_NO_KAFKA = KafkaOrders()


class Table:
    """Pickles functions for the tasks of the next job of this thread."""

    def __init__(self, sc: SparkContext, directory: str) -> None:
        self._sc = sc
        memory = size(partial(setting, sc), "spark.python.worker.memory", 512 << 20)
        self._memory_mb = max(1, memory >> 20)
        self.published = Published(sc, directory)

    def pickle(self, functions: Sequence[Callable[..., Any]]) -> bytes:
        """May raise what cloudpickle raises for a function that cannot be sent."""
        self.published.next_batch()
        buffer = io.BytesIO()
        _Pickler(buffer, self).dump(tuple(functions))  # type: ignore[no-untyped-call]
        return buffer.getvalue()

    def send(
        self,
        pickled: bytes,
        inline: int,
        poisoned: Mapping[int, str],
        drops: bool = False,
        kafka: KafkaOrders | None = None,
    ) -> None:
        """Tell the tasks that this thread starts from now on."""
        file = None
        if len(pickled) > _LARGE:
            key = f"functions-{hashlib.sha256(pickled).hexdigest()[:32]}"
            file = self.published.content(key, pickled)
        orders = TaskOrders(
            None if file else pickled,
            file,
            self.published.names,
            inline,
            drops,
            dict(poisoned),
            kafka or _NO_KAFKA,
        )
        self._sc.setLocalProperty(PROPERTY, orders.encoded())
        self._sc.setLocalProperty(MEMORY, str(self._memory_mb))


class _Pickler(cloudpickle.CloudPickler):
    """cloudpickle, but a broadcast is sent as the name of the file that holds its value.

    PySpark attaches broadcasts to the function that a plan was made with; ours are pickled later.
    """

    def __init__(self, buffer: io.BytesIO, table: Table) -> None:
        super().__init__(buffer)  # type: ignore[no-untyped-call]
        self._table = table

    def reducer_override(self, obj: Any) -> Any:
        if isinstance(obj, Broadcast):
            number = broadcast_id(obj)
            path = broadcast_file(obj)
            if encrypts_files(self._table._sc) or not path or not os.path.exists(path):
                value = pickle.dumps(obj.value, protocol=5)
                file = self._table.published.content(f"broadcast-{number}", value)
            else:
                file = self._table.published.file(f"broadcast-{number}", path)
            return open_broadcast, (number, file)
        return super().reducer_override(obj)  # type: ignore[no-untyped-call]
