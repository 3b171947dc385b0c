"""From partitions to an RDD, and back."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import chain
from typing import TYPE_CHECKING, Any

from dstream_parity.base.outcomes import Raised, Seen, raised

if TYPE_CHECKING:
    from pyspark import RDD, SparkContext


def rdd_of(sc: SparkContext, partitions: Sequence[Iterable[Any]]) -> RDD[Any]:
    """An RDD with exactly these partitions.

    All RDDs made here have the same serializer; otherwise a union would repartition them.
    """
    whole: RDD[Any] = sc.parallelize(partitions, len(partitions)) if partitions else sc.emptyRDD()
    return whole.mapPartitions(chain.from_iterable)


def outcome_of(rdd: RDD[Any]) -> Seen | Raised:
    """The partitions of an RDD, or what computing them raised.

    legacy: SystemExit, too, only fails the batch.
    """
    try:
        return Seen(tuple(map(tuple, rdd.glom().collect())))
    except BaseException as error:
        return raised(error)
