"""Where a checkpoint lies: plain files, and through Hadoop."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from pyspark import SparkContext

from dstream_compat.connectors.hadoop.hadoop_storage import HadoopStorage, storage_for
from dstream_compat.input.storage import LocalStorage, Storage

Make = Callable[[Path], Storage]


def mounted(sc: SparkContext, directory: Path) -> str:
    """The URI of a directory on a file system that only Hadoop knows."""
    jsc = sc._jsc
    assert jsc is not None
    conf = jsc.hadoopConfiguration()
    conf.set("fs.viewfs.mounttable.tests.link./here", f"file://{directory.parent}")
    conf.set("fs.viewfs.impl.disable.cache", "true")
    return f"viewfs://tests/here/{directory.name}"


@pytest.fixture(params=["local", "hadoop"])
def storage(request: pytest.FixtureRequest, tmp_path: Path) -> Storage:
    if request.param == "local":
        return LocalStorage(tmp_path)
    sc: SparkContext = request.getfixturevalue("sc")
    found = storage_for(mounted(sc, tmp_path))
    assert isinstance(found, HadoopStorage)
    return found


def test_a_file_is_what_was_written_last(storage: Storage) -> None:
    content = bytes(range(256)) * 100
    storage.write("a/b", b"first")
    storage.write("a/b", content)
    assert storage.read("a/b") == content
    assert storage.sizes("a") == {"b": len(content)}
    assert list(storage.sizes()) == ["a"]


def test_a_path_leads_back_to_its_name(storage: Storage) -> None:
    assert storage.name_of(storage.path("a/b")) == "a/b"
    storage.within("a").write("b", b"within")
    assert storage.read("a/b") == b"within"


def test_nothing_there_is_empty_and_can_be_deleted(storage: Storage) -> None:
    assert storage.sizes("missing") == {}
    storage.delete("missing")
    with pytest.raises(OSError, match="missing"):
        storage.read("missing")


def test_files_and_directories_are_renamed_and_deleted_whole(storage: Storage) -> None:
    for name in ("a/b", "a/c/d", "e"):
        storage.write(name, name.encode())
    storage.rename("a", "kept/a")
    storage.rename("e", "kept/e")
    assert sorted(storage.sizes("kept")) == ["a", "e"]
    assert storage.read("kept/a/c/d") == b"a/c/d"
    storage.delete("kept/a")
    storage.delete("kept/e")
    assert storage.sizes("kept") == {}


def test_files_still_being_written_are_not_seen_and_swept(storage: Storage, tmp_path: Path) -> None:
    storage.write("a/b", b"whole")
    torn = [tmp_path / ".torn.tmp", tmp_path / "a" / ".torn.tmp"]
    for path in torn:
        path.write_bytes(b"to")
    assert list(storage.sizes("a")) == ["b"]
    storage.sweep()
    assert not any(path.exists() for path in torn)
    assert storage.read("a/b") == b"whole"


def test_an_unknown_file_system_is_refused_in_one_sentence(sc: SparkContext) -> None:
    with pytest.raises(OSError, match='No FileSystem for scheme "nowhere"') as caught:
        storage_for("nowhere://host/checkpoint")
    assert "\n" not in str(caught.value)


def test_a_path_without_scheme_is_on_the_default_file_system(
    sc: SparkContext, tmp_path: Path
) -> None:
    assert storage_for(str(tmp_path)).is_local
    uri = mounted(sc, tmp_path)
    jsc = sc._jsc
    assert jsc is not None
    conf = jsc.hadoopConfiguration()
    before = conf.get("fs.defaultFS")
    conf.set("fs.defaultFS", "viewfs://tests/")
    try:
        assert storage_for(f"/here/{tmp_path.name}").path() == uri
    finally:
        conf.set("fs.defaultFS", before)
