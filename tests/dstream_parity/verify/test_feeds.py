"""Inputs other than recordings."""

from __future__ import annotations

from pathlib import Path

import pytest

from dstream_parity.verify.child.patches.sources import FedSources
from dstream_parity.verify.errors import Refused
from dstream_parity.verify.inputs.feeds import Feed, FeedInput, read_feed


def test_a_file_is_a_batch_and_a_directory_has_a_file_per_batch(tmp_path: Path) -> None:
    for name, text in (("b.txt", "2\n"), ("a.txt", "1\n"), (".hidden", "no")):
        (tmp_path / name).write_text(text)
    (source,) = read_feed([str(tmp_path)], None, False).inputs
    assert source == FeedInput((), "files", (b"1\n", b"2\n"))
    (source,) = read_feed([f"clicks={tmp_path / 'a.txt'}"], None, False).inputs
    assert source == FeedInput(("clicks",), "files", (b"1\n",))


def test_json_lines_have_a_batch_per_line_for_one_source_or_several(tmp_path: Path) -> None:
    path = tmp_path / "batches.jsonl"
    path.write_text('["a", {"$tuple": [1, 2]}]\n[]\n')
    assert read_feed([f"0={path}"], None, False).inputs == (
        FeedInput(("0",), "elements", (["a", (1, 2)], [])),
    )
    path.write_text('{"0": ["a"]}\n{"1": ["b"]}\n{"0": ["c"]}\n')
    assert read_feed([str(path)], None, False).inputs == (
        FeedInput(("0",), "elements", (["a"], [], ["c"])),
        FeedInput(("1",), "elements", ([], ["b"])),
    )


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        ("nonsense\n", r"batches\.jsonl:1 is not JSON; each line is one batch: a list"),
        ("[1]\n3\n", r"batches\.jsonl:2: a batch is a list, got int"),
        ('{"user": "ada"}\n', r"a batch is a list, got str; if these are messages .* \.txt"),
        ("[" * 100_000, r"batches\.jsonl:1 is not JSON; each line is one batch: a list"),
        ("", "the file is empty; each line is one batch"),
        ('[{"$pickle": "x"}]\n', r"batches\.jsonl:1: it contains pickled elements"),
    ],
)
def test_bad_json_lines_are_refused_in_a_sentence(
    tmp_path: Path, content: str, sentence: str
) -> None:
    path = tmp_path / "batches.jsonl"
    path.write_text(content)
    with pytest.raises(Refused, match=sentence):
        read_feed([str(path)], None, False)


def test_line_separators_of_unicode_do_not_end_a_line_of_json(tmp_path: Path) -> None:
    path = tmp_path / "batches.jsonl"
    path.write_text('["a\u2028b\u0085c"]\r\n["d"]', encoding="utf-8")
    (source,) = read_feed([str(path)], None, False).inputs
    assert source.batches == (["a\u2028b\u0085c"], ["d"])


def test_paths_that_are_not_there_are_refused(tmp_path: Path) -> None:
    with pytest.raises(Refused, match="no such file or directory"):
        read_feed(["nowhere.txt"], None, False)
    with pytest.raises(Refused, match="the directory has no files"):
        read_feed([str(tmp_path)], None, False)


def sources(*inputs: FeedInput) -> FedSources:
    return FedSources(Feed(inputs))


def test_a_source_is_found_by_number_kind_name_or_because_it_is_the_only_one() -> None:
    for name in ("0", "socketTextStream", "localhost:9999"):
        made = sources(FeedInput((name,), "lines", (["a", "b", "c"],)))
        assert made.make("socketTextStream", ["localhost:9999"]).batches == ([["a", "b"], ["c"]],)
    made = sources(FeedInput((), "lines", (["a"], [])))
    assert made.make("textFileStream", ["/d"]).batches == ([["a"]], [])


def test_a_second_receiver_of_the_same_topic_gets_nothing_and_a_stranger_is_refused() -> None:
    made = sources(FeedInput(("clicks",), "elements", (["a"], ["b"])))
    made.make("createStream", ["clicks"])
    assert made.make("createStream", ["clicks"]).batches == ([], [])
    with pytest.raises(Refused, match=r"no batches were given for source 2 .* use --input 2=PATH"):
        made.make("socketTextStream", ["localhost:1"])


def tapped(name: str, *topics: str, element: str = "x") -> FeedInput:
    """An input as a recording gives it."""
    return FeedInput((), "partitions", ([[element]],), (), name, frozenset(topics))


def test_recorded_streams_find_their_sources_by_topic_in_whatever_order_they_were_tapped() -> None:
    made = sources(tapped("o", "orders", element="ORDER"), tapped("c", "clicks", element="CLICK"))
    assert made.make("createDirectStream", ["clicks"]).batches == ([["CLICK"]],)
    assert made.make("createDirectStream", ["orders"]).batches == ([["ORDER"]],)
    assert made.check_all_used() == []


def test_a_recorded_stream_goes_to_the_source_that_shares_most_of_its_topics() -> None:
    made = sources(tapped("one", "a", "b", element="AB"), tapped("two", "b", "c", element="BC"))
    assert made.make("createDirectStream", ["b", "c"]).batches == ([["BC"]],)
    assert made.make("createDirectStream", ["a", "b"]).batches == ([["AB"]],)


def test_a_queue_keeps_its_own_batches_whatever_place_a_recorded_stream_has() -> None:
    made = sources(tapped("clicks", element="CLICK"))
    assert made.own("queueStream", 1) is not None
    assert made.make("createDirectStream", ["clicks"]).batches == ([["CLICK"]],)
    assert made.check_all_used() == []


def test_a_recorded_stream_that_names_no_source_is_taken_in_order_and_that_is_said() -> None:
    made = sources(tapped("lines", element="LINE"), tapped("clicks", element="CLICK"))
    assert made.make("createStream", ["clicks"]).batches == ([["CLICK"]],)
    assert made.make("socketTextStream", ["h:1"]).batches == ([["LINE"]],)
    (note,) = made.check_all_used()
    assert note.startswith(
        "the recorded stream lines was matched with source 1 (socketTextStream at "
    )
    alone = sources(tapped("lines"))
    alone.make("socketTextStream", ["h:1"])
    assert alone.check_all_used() == []


def test_a_recorded_stream_that_was_taken_in_order_and_is_anothers_by_name_is_refused() -> None:
    made = sources(tapped("clicks"))
    made.make("socketTextStream", ["h:1"])
    with pytest.raises(Refused, match=r"with source 0 .* but source 1 .* has its name: say"):
        made.make("createStream", ["clicks"])
    made = sources(tapped("a"), tapped("b"))
    first = made.make("socketTextStream", ["h:1"])
    made.check_tap(first, "a")
    with pytest.raises(Refused, match=r"the recorded stream a was matched .* the job calls .* b"):
        made.check_tap(first, "b")


def test_a_source_of_another_kind_on_the_same_topic_is_no_second_receiver() -> None:
    made = sources(FeedInput(("clicks",), "lines", (["a"],)), FeedInput((), "lines", (["b"],)))
    made.make("createStream", ["clicks"])
    with pytest.raises(Refused, match="no batches were given for source 1"):
        made.make("createDirectStream", ["clicks"])


def test_direct_kafka_streams_have_partitions_and_offsets_in_every_batch() -> None:
    made = sources(FeedInput((), "lines", (["a", "b", "c"], [], ["d"])))
    source = made.make("createDirectStream", ["t"], partitions=2, topics=["t"])
    assert source.batches == ([["a", "b"], ["c"]], [[], []], [["d"], []])
    assert source.offsets == (
        (("t", 0, 0, 2), ("t", 1, 0, 1)),
        (("t", 0, 2, 2), ("t", 1, 1, 1)),
        (("t", 0, 2, 3), ("t", 1, 1, 1)),
    )


def test_binary_records_are_cut_from_files() -> None:
    made = sources(FeedInput((), "files", (b"aabbc",)))
    source = made.make("binaryRecordsStream", ["/d"], record_length=2)
    assert source.batches == ([[b"aa", b"bb"], [b"c"]],)
