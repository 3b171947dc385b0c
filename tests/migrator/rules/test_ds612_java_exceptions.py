"""DS612: Java's side of an error."""

from tests.migrator.rules import HEAD, check_found, check_noop

TRY = "try:\n    {body}\nexcept Py4JJavaError as error:\n    {handler}\n"


def test_the_java_exception_of_a_batch() -> None:
    code = TRY.format(body="ssc.awaitTermination()", handler="print(error.java_exception)")
    check_found("DS612", HEAD + code, 10)


def test_its_text_is_still_there() -> None:
    code = TRY.format(body="ssc.awaitTermination()", handler="print(str(error))")
    check_noop("DS612", HEAD + code)


def test_errors_of_other_calls_have_one() -> None:
    code = TRY.format(body="sc.textFile(p).count()", handler="print(error.java_exception)")
    check_noop("DS612", HEAD + code)


def test_errors_inside_a_batch_have_one() -> None:
    code = HEAD + "def f(rdd):\n    try:\n        rdd.count()\n    except Exception as e:\n"
    check_noop("DS612", code + "        print(e.java_exception)\npairs.foreachRDD(f)\n")
