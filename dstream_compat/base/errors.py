"""The errors a job meets, of the types and with the texts it may match on.

On the legacy engine they come from the JVM: an ``IllegalArgumentException`` arrives as
``pyspark.errors.IllegalArgumentException``, everything else as ``Py4JJavaError`` with the name of
the Java class in its text. Ours are the same types, made in Python.
"""

from __future__ import annotations

from typing import Any

from pyspark.errors import IllegalArgumentException

from dstream_compat.base.pyspark_internals import Py4JJavaError


class StreamingError(Py4JJavaError):  # type: ignore[misc]
    """What the legacy engine raises from the JVM; its text names the Java class."""

    def __init__(self, java_class: str, message: str, call: str = "call") -> None:
        Exception.__init__(self, message)
        self.java_class = java_class
        self.message = message
        self.call = call
        self.java_exception: Any = None

    @property
    def errmsg(self) -> str:
        return f"An error occurred while calling {self.call}.\n"

    def __str__(self) -> str:
        return f"{self.errmsg}: {self.java_class}: {self.message}"

    def __reduce__(self) -> Any:
        return (type(self), (self.java_class, self.message, self.call))


class Interrupted(Exception):
    """The sink was asked to stop in the middle of a batch; never a job's error."""

    def __str__(self) -> str:
        return "An error occurred while calling sink.\n: java.lang.InterruptedException"


# Spark tells an interrupted Python sink from a failed one by this name and text, nothing else.
Interrupted.__module__, Interrupted.__qualname__ = "py4j.protocol", "Py4JJavaError"


def illegal_argument(message: str) -> IllegalArgumentException:
    """A failed requirement, as Scala's ``require`` words it."""
    return IllegalArgumentException(message=f"requirement failed: {message}")


def illegal_state(message: str, call: str) -> StreamingError:
    return StreamingError("java.lang.IllegalStateException", message, call)


def unsupported(message: str, call: str) -> StreamingError:
    return StreamingError("java.lang.UnsupportedOperationException", message, call)


def spark_error(message: str, call: str) -> StreamingError:
    return StreamingError("org.apache.spark.SparkException", message, call)


def job_error(traceback: str) -> StreamingError:
    """What ``awaitTermination`` raises for a failed batch."""
    text = f"An exception was raised by Python:\n{traceback}\n"
    return StreamingError("org.apache.spark.SparkException", text, "awaitTermination")
