"""DS317: values of the driver that change while the job runs."""

from tests.migrator.rules import HEAD, check_found, check_noop

REFRESH = "def refresh():\n    global table\n    table = load()\n"


def test_a_global_that_is_rebound() -> None:
    check_found("DS317", HEAD + REFRESH + "pairs.map(lambda p: table[p[0]]).pprint()\n", 10)


def test_a_static_rdd_that_is_rebound() -> None:
    check_found("DS317", HEAD + REFRESH + "pairs.transform(lambda r: r.join(table)).pprint()\n", 10)


def test_a_global_that_stays() -> None:
    check_noop("DS317", HEAD + "table = load()\npairs.map(lambda p: table[p[0]]).pprint()\n")


def test_a_parameter_of_that_name() -> None:
    check_noop("DS317", HEAD + REFRESH + "pairs.map(lambda table: table[0]).pprint()\n")


def test_an_output_runs_in_the_driver() -> None:
    check_noop("DS317", HEAD + REFRESH + "pairs.foreachRDD(lambda r: print(table))\n")


def test_another_name_is_rebound() -> None:
    check_noop("DS317", HEAD + REFRESH + "pairs.map(lambda p: other[p[0]]).pprint()\n")
