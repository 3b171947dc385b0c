"""DS214: how files with odd names are read."""

from tests.migrator.rules import HEAD, check_found, check_noop


def test_it_is_told_once_per_job() -> None:
    code = HEAD + "ssc.textFileStream(a).pprint()\nssc.binaryRecordsStream(b, 4).pprint()\n"
    check_found("DS214", code, 7)


def test_sockets_have_no_file_names() -> None:
    check_noop("DS214", HEAD + "pairs.pprint()\n")


def test_batch_reads_are_something_else() -> None:
    check_noop("DS214", HEAD + "sc.textFile(path).count()\n")


def test_files_written_are_something_else() -> None:
    check_noop("DS214", HEAD + 'pairs.saveAsTextFiles("out")\n')
