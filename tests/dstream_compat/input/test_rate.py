from __future__ import annotations

import threading

import pytest

from dstream_compat.input.rate import PIDRateEstimator, RateLimiter


class FakeTime(threading.Event):
    """A clock that only waiting moves, in the place of the stop event."""

    def __init__(self) -> None:
        super().__init__()
        self.now = 100.0

    def __call__(self) -> float:
        return self.now

    def wait(self, timeout: float | None = None) -> bool:
        assert timeout is not None
        self.now += timeout
        return self.is_set()


def limiter(rate: float | None, max_rate: float | None = None) -> tuple[RateLimiter, FakeTime]:
    fake = FakeTime()
    return RateLimiter(rate, max_rate, stopped=fake, clock=fake), fake


def seconds_for(count: int, rates: RateLimiter, fake: FakeTime) -> float:
    before = fake.now
    for _ in range(count):
        assert rates.acquire()
    return fake.now - before


def test_the_first_permit_is_free_and_the_others_come_at_the_rate() -> None:
    rates, fake = limiter(10)
    assert seconds_for(1, rates, fake) == 0
    assert seconds_for(50, rates, fake) == pytest.approx(5)


def test_a_pause_saves_at_most_one_second_of_permits() -> None:
    rates, fake = limiter(10)
    fake.now += 60
    assert seconds_for(11, rates, fake) == pytest.approx(0)
    assert seconds_for(10, rates, fake) == pytest.approx(1)


def test_without_a_rate_nothing_waits() -> None:
    rates, fake = limiter(None)
    assert rates.rate is None
    assert seconds_for(1000, rates, fake) == 0


def test_the_maximum_caps_the_initial_rate_and_every_later_one() -> None:
    assert limiter(1000, 10)[0].rate == 10
    assert limiter(None, 10)[0].rate == 10
    rates, fake = limiter(5, 10)
    assert rates.rate == 5
    rates.update(1000)
    assert rates.rate == 10
    seconds_for(1, rates, fake)
    assert seconds_for(20, rates, fake) == pytest.approx(2)


@pytest.mark.parametrize("none", [0, -1])
def test_a_maximum_of_zero_or_less_is_no_maximum(none: float) -> None:
    rates, _ = limiter(None, none)
    assert rates.rate is None
    rates.update(1e6)
    assert rates.rate == 1e6


@pytest.mark.parametrize("ignored", [0, -5])
def test_an_update_to_zero_or_less_changes_nothing(ignored: float) -> None:
    rates, _ = limiter(7)
    rates.update(ignored)
    assert rates.rate == 7


def test_an_update_applies_to_the_permits_that_follow() -> None:
    rates, fake = limiter(10)
    seconds_for(11, rates, fake)
    rates.update(100)
    assert seconds_for(1, rates, fake) == pytest.approx(0.1)  # priced before the update
    assert seconds_for(100, rates, fake) == pytest.approx(1)


def test_what_was_saved_is_scaled_with_the_rate() -> None:
    rates, fake = limiter(10)
    fake.now += 0.5  # half a second's worth
    rates.update(100)
    assert seconds_for(51, rates, fake) == pytest.approx(0)
    assert seconds_for(10, rates, fake) == pytest.approx(0.1)


def test_stopping_frees_a_thread_that_waits_for_its_permit() -> None:
    stopped = threading.Event()
    rates = RateLimiter(0.001, stopped=stopped)
    rates.acquire()
    answers: list[bool] = []
    waiting = threading.Thread(target=lambda: answers.append(rates.acquire()), daemon=True)
    waiting.start()
    waiting.join(0.05)
    assert waiting.is_alive()
    stopped.set()
    waiting.join(10)
    assert answers == [False]


def test_the_first_batch_gives_no_estimate_and_the_second_does() -> None:
    estimator = PIDRateEstimator(1000, 1.0, 0.2, 0.0, 100)
    assert estimator.compute(1000, 1000, 500, 0) is None  # 2000 a second
    # 500 a second measured; the backlog of 200 ms is worth 100 elements a second
    assert estimator.compute(2000, 500, 1000, 200) == 2000 - 1500 - 0.2 * 100


def test_the_derivative_term_uses_the_change_of_the_error_per_second() -> None:
    estimator = PIDRateEstimator(1000, 0.5, 0.0, 0.1, 1)
    assert estimator.compute(1000, 1000, 1000, 0) is None
    # error 1000 - 500, from 0, in two seconds
    assert estimator.compute(3000, 500, 1000, 0) == 1000 - 0.5 * 500 - 0.1 * 250
    # error 725 - 1000, from 500, in half a second
    assert estimator.compute(3500, 1000, 1000, 0) == 725 + 0.5 * 275 + 0.1 * 1550


def test_the_estimate_never_falls_below_the_minimum() -> None:
    estimator = PIDRateEstimator(1000, 1.0, 1.0, 0.0, 100)
    estimator.compute(1000, 1000, 1000, 0)
    assert estimator.compute(2000, 10, 1000, 60_000) == 100
    # and the minimum is what the next one starts from: error 100 - 1000
    assert estimator.compute(3000, 1000, 1000, 0) == 1000


def test_empty_instant_and_late_batches_are_ignored() -> None:
    ignored = PIDRateEstimator(1000)
    clean = PIDRateEstimator(1000)
    for estimator in (ignored, clean):
        estimator.compute(1000, 1000, 1000, 0)
    assert ignored.compute(2000, 0, 1000, 0) is None
    assert ignored.compute(2000, 1000, 0, 0) is None
    assert ignored.compute(1000, 1000, 1000, 0) is None
    assert ignored.compute(2000, 700, 1000, 50) == clean.compute(2000, 700, 1000, 50)


@pytest.mark.parametrize(
    "arguments",
    [(0, 1, 1, 1, 1), (1, -1, 1, 1, 1), (1, 1, -1, 1, 1), (1, 1, 1, -1, 1), (1, 1, 1, 1, 0)],
)
def test_settings_that_make_no_sense_are_refused(
    arguments: tuple[int, float, float, float, float],
) -> None:
    with pytest.raises(ValueError, match=r"positive|negative"):
        PIDRateEstimator(*arguments)
