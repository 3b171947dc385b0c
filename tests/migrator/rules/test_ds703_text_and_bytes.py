"""DS703: encode and decode in Python 2 code."""

from tests.migrator.rules import check_found, check_noop

PY2 = "n = long(1)\n"


def test_encode_and_decode_are_found() -> None:
    check_found("DS703", f"{PY2}x = a.encode('utf-8')\ny = lines.map(lambda v: v.decode())\n", 2, 3)


def test_functions_of_that_name_are_not() -> None:
    check_noop("DS703", f"{PY2}x = encode(a)\ny = codec.decoder(b)\n")


def test_python_3_code_is_left_alone() -> None:
    check_noop("DS703", "x = a.encode('utf-8')\n")
