"""DS310: transform functions that return no RDD."""

import pytest

from migrator.core import Readiness, Severity
from tests.migrator.rules import HEAD, check_found, check_noop


@pytest.mark.parametrize(
    "function",
    [
        "lambda rdd: rdd.take(3)",
        "lambda rdd: rdd.map(f).collect()",
        "lambda rdd: sorted(rdd.collect())",
        "lambda rdd: [1, 2]",
        "lambda rdd: rdd.count()",
        "lambda time, rdd: (time, rdd)",
        "lambda rdd: print(rdd.count())",
    ],
)
def test_lambdas_that_return_something_else(function: str) -> None:
    check_found("DS310", HEAD + f"pairs.transform({function}).pprint()\n", 7)


def test_a_function_that_returns_nothing_at_all() -> None:
    (found,) = check_found(
        "DS310",
        HEAD + "def show(rdd):\n    print(rdd.count())\npairs.transform(show).pprint()\n",
        9,
    )
    assert found.severity is Severity.ERROR


def test_a_generator_is_no_rdd() -> None:
    check_found("DS310", HEAD + "def f(rdd):\n    yield rdd\npairs.transform(f).pprint()\n", 9)


def test_nothing_on_one_way_is_only_a_note() -> None:
    code = HEAD + "def f(rdd):\n    if rdd.isEmpty():\n        return\n    return rdd\n"
    (found,) = check_found("DS310", code + "pairs.transform(f).pprint()\n", 11)
    assert found.severity is Severity.INFO
    assert found.readiness is Readiness.READY


def test_several_streams_transformed_together() -> None:
    check_found("DS310", HEAD + "ssc.transform([pairs], lambda rdds: list(rdds)).pprint()\n", 7)
    check_found("DS310", HEAD + "pairs.transformWith(lambda a, b: [a, b], lines).pprint()\n", 7)


@pytest.mark.parametrize(
    "function",
    [
        "lambda rdd: rdd",
        "lambda rdd: rdd.sortByKey()",
        "lambda rdd: sc.parallelize(rdd.take(3))",
        "lambda rdd: helper(rdd)",
        "lambda rdd: rdd.join(static)",
        "lambda rdd: model.predict(rdd).collect",
        "lambda rdd: frame(rdd).rdd",
        "unknown",
        "functools.partial(f, 3)",
    ],
)
def test_functions_that_may_return_an_rdd(function: str) -> None:
    check_noop("DS310", HEAD + f"pairs.transform({function}).pprint()\n")


def test_a_function_that_always_raises_or_returns() -> None:
    code = (
        HEAD + "def f(rdd):\n    if bad:\n        raise ValueError\n    else:\n        return rdd\n"
    )
    check_noop("DS310", code + "pairs.transform(f).pprint()\n")


def test_a_place_for_another_function_is_not_judged() -> None:
    code = HEAD + 'def f(rdd):\n    """To be overridden."""\npairs.transform(f).pprint()\n'
    found = check_found("DS310", code, 9)
    assert found[0].severity is Severity.INFO


def test_transform_of_something_else_is_not_meant() -> None:
    check_noop("DS310", HEAD + "scaler.transform(lambda rdd: [1])\n")


def test_what_foreach_returns_does_not_matter() -> None:
    check_noop("DS310", HEAD + "pairs.foreachRDD(lambda rdd: rdd.take(3))\n")


def test_what_nobody_asks_for_never_runs() -> None:
    code = HEAD + "top = pairs.transform(lambda rdd: rdd.take(3))\npairs.pprint()\n"
    (found,) = check_found("DS310", code, 7)
    assert (found.severity, found.readiness) == (Severity.INFO, Readiness.READY)


def test_what_may_be_asked_for_elsewhere_may_run() -> None:
    code = HEAD + "top = pairs.transform(lambda rdd: rdd.take(3))\nelsewhere.show(top)\n"
    (found,) = check_found("DS310", code, 7)
    assert found.severity is Severity.ERROR


@pytest.mark.parametrize(
    ("body", "what"),
    [
        ("    top = rdd.take(3)\n    return top\n", "a list"),
        ("    n = rdd.count()\n    m = n\n    return m\n", "a value"),
        ("    return rdd.toDF()\n", "a DataFrame"),
        ("    df = spark.createDataFrame(rdd)\n    return df\n", "a DataFrame"),
        ("    return rdd.toDF().filter('x > 1')\n", "a DataFrame"),
        ("    return first(rdd)\n", "a list"),
        ("    found = through(rdd)\n    return found\n", "a list"),
    ],
)
def test_names_frames_and_helpers_are_seen_through(body: str, what: str) -> None:
    helpers = "def first(r):\n    return r.take(1)\ndef through(r):\n    return first(r)\n"
    code = HEAD + helpers + f"def f(rdd):\n{body}pairs.transform(f).pprint()\n"
    (found,) = check_found("DS310", code, code.count("\n"))
    assert f"returns {what}," in found.message


@pytest.mark.parametrize(
    "body",
    [
        "    top = rdd.take(3)\n    top = sc.parallelize(top)\n    return top\n",
        "    return rdd.toDF().rdd\n",
        "    return rdd.toDF().toJSON()\n",
        "    return helper(rdd)\n",
        "    return twice(rdd)\n",
        "    return elsewhere.take(rdd)\n",
    ],
)
def test_what_may_be_an_rdd_is_not_judged(body: str) -> None:
    helpers = "def helper(r):\n    return r.map(str)\n"
    helpers += "def twice(r):\n    return [r]\ndef twice(r):\n    return r\n"
    check_noop("DS310", HEAD + helpers + f"def f(rdd):\n{body}pairs.transform(f).pprint()\n")


def test_a_transform_of_several_streams_gets_a_list_of_rdds() -> None:
    call = "ssc.transform([lines, pairs], lambda rdds: {}).pprint()\n"
    check_found("DS310", HEAD + call.format("rdds[0].collect()"), 7)
    check_noop("DS310", HEAD + call.format("rdds[0].union(rdds[1])"))
