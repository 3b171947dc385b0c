"""mapWithState as the JVM has it: an original that Python never had, driven tick by tick.

The state function is a little interpreter, once in Java and once in Python: a record's value, and
on a time-out the key, says what to do with the state, and the result says what came of it.
"""

from __future__ import annotations

import zipfile
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import chain
from pathlib import Path
from typing import Any

from py4j.java_gateway import JavaObject
from pyspark import SparkContext
from pyspark.streaming import StreamingContext

from dstream_compat import StateSpec
from dstream_parity import Batches, Outcome, Outcomes, Seen
from dstream_parity.engines.legacy_driver import LegacyDriver, with_manual_clock

JAVA = """
package oracle;

import org.apache.spark.api.java.Optional;
import org.apache.spark.api.java.function.Function3;
import org.apache.spark.api.java.function.Function4;
import org.apache.spark.streaming.State;
import org.apache.spark.streaming.Time;

public class Script {
  static Object run(String key, Optional value, State state) {
    String log = key + (state.isTimingOut() ? ", timing out: " : ": ") + state;
    String[] words = ((String) (value.isPresent() ? value.get() : key)).split(" ");
    for (int i = 0; i < words.length; i++) {
      try {
        if (words[i].equals("add")) {
          long known = state.exists() ? ((Number) state.get()).longValue() : 0L;
          state.update(Long.valueOf(known + 1L));
        } else if (words[i].equals("remove")) {
          state.remove();
        } else if (words[i].equals("get")) {
          log = log + ", got " + state.get();
        }
      } catch (RuntimeException error) {
        log = log + ", " + error.getMessage();
      }
    }
    return log + ", then " + state + (state.exists() ? "" : " any more");
  }

  public static class Step implements Function3 {
    public Object call(Object key, Object value, Object state) {
      return run((String) key, (Optional) value, (State) state);
    }
  }

  public static class TimedStep implements Function4 {
    public Object call(Object time, Object key, Object value, Object state) {
      Object log = run((String) key, (Optional) value, (State) state);
      if (log.toString().contains("got")) return Optional.absent();
      return Optional.of(((Time) time).milliseconds() + " " + log);
    }
  }
}
"""


def step(key: str, value: str | None, state: Any) -> str:
    log = key + (", timing out: " if state.isTimingOut() else ": ") + str(state)
    for word in (key if value is None else value).split(" "):
        try:
            if word == "add":
                state.update(state.getOption(0) + 1)
            elif word == "remove":
                state.remove()
            elif word == "get":
                log += f", got {state.get()}"
        except (ValueError, LookupError) as error:
            log += f", {error.args[0]}"
    return f"{log}, then {state}" + ("" if state.exists() else " any more")


def timed_step(time: datetime, key: str, value: str | None, state: Any) -> str | None:
    log = step(key, value, state)
    return None if "got" in log else f"{round(time.timestamp() * 1000)} {log}"


@dataclass(frozen=True)
class Mapping:
    """What to ask of mapWithState. ``initial`` and ``partitions``: see StateSpec."""

    timed: bool = False
    timeout: int | None = None
    checkpoint: int | None = None
    initial: tuple[tuple[str, int], ...] = ()
    partitions: int | None = None

    def build(self, stream: Any) -> list[Any]:
        """The mapped stream and the snapshots, of any DStream that has mapWithState."""
        spec = StateSpec.function(timed_step if self.timed else step)
        if self.timeout is not None:
            spec.timeout(self.timeout)
        if self.initial:
            spec.initialState(self.initial)
        if self.partitions is not None:
            spec.numPartitions(self.partitions)
        mapped = stream.mapWithState(spec)
        if self.checkpoint is not None:
            mapped.checkpoint(self.checkpoint)
        return [mapped, mapped.stateSnapshots()]


class JvmOracle:
    """Replays mappings on the JVM's own DStreams."""

    java = JAVA
    jar = "oracle.jar"

    def __init__(self, sc: SparkContext, directory: Path) -> None:
        """``directory`` is for a jar: executors look for the Java functions there."""
        self._sc = sc
        jvm: Any = sc._jvm
        self._jvm = jvm
        compiler = jvm.org.codehaus.janino.SimpleCompiler()
        compiler.cook(self.java)
        self._loader = compiler.getClassLoader()
        jar = directory / self.jar
        with zipfile.ZipFile(jar, "w") as archive:
            for name, code in compiler.getBytecodes().items():
                archive.writestr(name.replace(".", "/") + ".class", bytes(code))
        sc._jsc.sc().addJar(str(jar))

    def replay(
        self, mappings: Sequence[Mapping], batches: Batches, *, timeout: float = 60.0
    ) -> Outcomes:
        """Of every mapping the mapped stream and the snapshots, on batches of one input.

        Partitions must be as even as the JVM makes them: see :func:`dealt`.
        """
        ssc = with_manual_clock(self._sc, lambda: StreamingContext(self._sc, 1))
        ticks = range(1, len(batches) + 1)
        try:
            stream = self._input(ssc, batches)
            outputs = [output for m in mappings for output in self._outputs(m, stream)]
            seen = [_Collector() for _ in outputs]
            for output, collector in zip(outputs, seen, strict=True):
                output.foreachRDD(collector)
            driver = LegacyDriver(1000)
            ssc.queueStream([self._sc.emptyRDD()]).foreachRDD(driver.output)
            driver.take_over(ssc)
            ssc.start()
            for _ in ticks:
                if (error := driver.tick(timeout)) is not None:
                    raise error
            return [[collector.outcomes[tick] for tick in ticks] for collector in seen]
        finally:
            ssc.stop(stopSparkContext=False)

    def _input(self, ssc: StreamingContext, batches: Batches) -> JavaObject:
        queue = self._jvm.java.util.LinkedList()
        for (partitions,) in batches:
            queue.add(self._rdd(list(chain.from_iterable(partitions)), len(partitions)))
        java = self._jvm.org.apache.spark.streaming.api.java
        return java.JavaPairDStream.fromJavaDStream(ssc._jssc.queueStream(queue))

    def _outputs(self, mapping: Mapping, stream: JavaObject) -> list[JavaObject]:
        spark = self._jvm.org.apache.spark
        spec = spark.streaming.StateSpec.function(self._function(mapping))
        if mapping.timeout is not None:
            spec.timeout(spark.streaming.Duration(1000 * mapping.timeout))
        if mapping.initial:
            pairs = self._rdd(mapping.initial, self._sc.defaultParallelism)
            spec.initialState(spark.api.java.JavaPairRDD.fromJavaRDD(pairs))
        if mapping.partitions is not None:
            spec.numPartitions(mapping.partitions)
        mapped = stream.mapWithState(spec)
        if mapping.checkpoint is not None:
            mapped.checkpoint(spark.streaming.Duration(1000 * mapping.checkpoint))
        return [mapped, mapped.stateSnapshots()]

    def _function(self, mapping: Mapping) -> JavaObject:
        name = "oracle.Script$" + ("TimedStep" if mapping.timed else "Step")
        return self._loader.loadClass(name).newInstance()

    def _rdd(self, pairs: Sequence[tuple[str, Any]], n: int) -> JavaObject:
        listed = self._jvm.java.util.ArrayList()
        for pair in pairs:
            listed.add(self._jvm.scala.Tuple2(*pair))
        jsc = self._sc._jsc
        return jsc.parallelize(listed, n) if n else jsc.emptyRDD()


class _Collector:
    """An output operation in Java, called back in Python."""

    def __init__(self) -> None:
        self.outcomes: dict[int, Outcome] = {}

    def call(self, rdd: JavaObject, time: JavaObject) -> None:
        partitions = tuple(tuple(map(_plain, part)) for part in rdd.glom().collect())
        self.outcomes[time.milliseconds() // 1000] = Seen(partitions)

    class Java:
        implements = ["org.apache.spark.api.java.function.VoidFunction2"]  # noqa: RUF012


def _plain(element: Any) -> Any:
    return element if isinstance(element, str) else (element._1(), element._2())


def dealt(records: Sequence[Any], n: int) -> list[list[Any]]:
    """``records`` in ``n`` partitions, as the JVM deals them out."""
    return [list(records[i * len(records) // n : (i + 1) * len(records) // n]) for i in range(n)]
