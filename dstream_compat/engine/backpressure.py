"""Backpressure: inputs are slowed down when batches fall behind."""

from __future__ import annotations

from collections.abc import Mapping

from dstream_compat.base import settings
from dstream_compat.base.settings import Conf
from dstream_compat.input.rate import PIDRateEstimator
from dstream_compat.input.source import InputSource


class Backpressure:
    """Adapts the rate of every input that can be slowed down, where the user switched that on."""

    def __init__(self, sources: Mapping[int, InputSource], conf: Conf, interval_ms: int) -> None:
        on = settings.flag(conf, "spark.streaming.backpressure.enabled")
        self._adapted = {
            number: (source, _estimator(conf, interval_ms))
            for number, source in sources.items()
            if on and source.adapts
        }

    def adapt(self, records: Mapping[int, int], submitted: int, started: int, ended: int) -> None:
        """After a batch: ``records`` of each input, and the times (ms) of the batch."""
        for number, (source, estimator) in self._adapted.items():
            rate = estimator.compute(
                ended, records.get(number, 0), ended - started, max(0, started - submitted)
            )
            if rate is not None:
                source.update_rate(rate)


def _estimator(conf: Conf, interval_ms: int) -> PIDRateEstimator:
    prefix = "spark.streaming.backpressure.pid."
    return PIDRateEstimator(
        interval_ms,
        settings.number(conf, prefix + "proportional", 1.0) or 0.0,
        settings.number(conf, prefix + "integral", 0.2) or 0.0,
        settings.number(conf, prefix + "derived", 0.0) or 0.0,
        settings.number(conf, prefix + "minRate", 100.0) or 100.0,
    )
