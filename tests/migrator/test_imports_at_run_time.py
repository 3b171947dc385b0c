"""Random programs of imports and uses run before and after they are rewritten, on toy packages:
what a name stands for is the same, and every name is there.
"""

from __future__ import annotations

import contextlib
import io
import sys
import textwrap
from collections.abc import Iterator
from pathlib import Path
from random import Random
from types import ModuleType

import pytest

from migrator import rules
from migrator.core import Changed, Unchanged
from migrator.model.inference import analyse
from migrator.run.rewriting import rewrite
from migrator.text.opening import open_document

MODULES = {
    "": ("StreamingContext", "DStream", "StreamingListener"),
    ".context": ("StreamingContext",),
    ".dstream": ("DStream", "TransformedDStream"),
    ".listener": ("StreamingListener",),
    ".util": ("rddToFileName",),
    ".kafka": ("KafkaUtils", "TopicAndPartition", "OffsetRange"),
    ".kinesis": ("KinesisUtils", "InitialPositionInStream"),
    ".mqtt": ("MQTTUtils",),
}
PROGRAMS = 300
LEAST_CHANGED = 0.8  # of the programs; the others import nothing, or nothing that is used


@pytest.fixture
def packages(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """``pyspark.streaming``, which brings its submodules along, and a shim that does not."""

    def put(path: str, text: str) -> None:
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text(text)

    put("pyspark/__init__.py", "SparkContext, SparkConf = 'pyspark.SparkContext', 'SparkConf'\n")
    for module, names in MODULES.items():
        if module:
            values = "".join(f"{name} = '{module}.{name}'\n" for name in names)
            put(f"pyspark/streaming/{module[1:]}.py", values)
            put(f"dstream_compat/_{module[1:]}.py", values)
            put(f"dstream_compat/{module[1:]}.py", f"from dstream_compat._{module[1:]} import *\n")
    public = [
        f"{name} = '.{home}.{name}'\n"
        for home, name in zip(("context", "dstream", "listener"), MODULES[""], strict=True)
    ]
    loaded = "".join(f"import pyspark.streaming{module}\n" for module in (".util", ".dstream"))
    put("pyspark/streaming/__init__.py", "".join(public) + loaded)
    put("dstream_compat/__init__.py", "".join(public))
    monkeypatch.syspath_prepend(tmp_path)
    real = forgotten()
    yield
    forgotten()
    sys.modules.update(real)


def forgotten() -> dict[str, ModuleType]:
    """Modules of both packages, which will be imported anew."""
    ours = ("pyspark", "dstream_compat")
    return {name: sys.modules.pop(name) for name in [*sys.modules] if name.split(".")[0] in ours}


def said(program: str) -> tuple[str, str | None]:
    """What a program prints, and the error it ends with."""
    forgotten()
    out = io.StringIO()
    try:
        with contextlib.redirect_stdout(out):
            exec(compile(program, "program", "exec"), {"__name__": "program"})
    except Exception as error:
        return out.getvalue(), repr(error)
    return out.getvalue(), None


def an_import(random: Random) -> tuple[str, list[str]]:
    """A statement, and names that can be used behind it."""
    module = random.choice(list(MODULES))
    dotted, names = f"pyspark.streaming{module}", MODULES[module]
    match random.randrange(6):
        case 0:
            chosen = random.sample(names, random.randint(1, len(names)))
            layout = random.choice(["{}", "({})", "(\n    {},  # why\n)"])
            return f"from {dotted} import {layout.format(', '.join(chosen))}", chosen
        case 1:
            name = random.choice(names)
            return f"from {dotted} import {name} as Alias", ["Alias"]
        case 2:
            return f"import {dotted} as short", [f"short.{random.choice(names)}"]
        case 3:
            uses = [
                "pyspark.SparkContext",
                "pyspark.streaming.StreamingContext",
                "pyspark.streaming.util.rddToFileName",
                f"{dotted}.{names[0]}",
            ]
            layout = random.choice(["import {}", "import os, {}", "import {}; x = 1"])
            return layout.format(dotted), random.sample(uses, random.randint(1, 4))
        case 4:
            chosen = [random.choice(MODULES[""])]
            layout = random.choice(
                ["from pyspark import streaming", "from pyspark import SparkConf, streaming"]
            )
            return layout, [f"streaming.{name}" for name in chosen]
        case _:
            return f"from {dotted} import *", [*names[:1]]


def a_use(random: Random, name: str) -> str:
    return random.choice(
        [
            f"print({name})",
            f"print(f'{{{name}}}')",
            f"print((lambda given={name}: given)())",
            f"def use(given: '{name}' = {name}): return given\nprint(use())",
            f"if {name}: print({name}, sep='')",
        ]
    )


def a_block(random: Random, number: int) -> tuple[str, list[str]]:
    """An import with uses, at the top or somewhere else; and names that stay."""
    statement, names = an_import(random)
    uses = "\n".join(a_use(random, name) for name in names if random.random() < 0.8)
    body = f"{statement}\n{uses}"
    inside = textwrap.indent(body, "    ")
    match random.randrange(8) if "*" not in statement else 0:
        case 3:
            return f"def f{number}():\n{inside}\nf{number}()", []
        case 4:
            tried = textwrap.indent(statement, "    ")
            return f"try:\n{tried}\nexcept ImportError:\n    pass\n{uses}", names
        case 5:
            return f"if True:\n{inside}", names
        case 6 if "pyspark." in "".join(names):
            return f"import pyspark\ndef f{number}():\n{inside}\nf{number}()", names
        case 7 if "pyspark." in "".join(names):
            late = textwrap.indent(f"{statement}\nimport pyspark as ps", "    ")
            again = random.choice(["", "    global pyspark\n"])
            called = (
                f"def f{number}():\n{again}{late}\n    print(ps.streaming.DStream)\nf{number}()"
            )
            used = textwrap.indent(uses or "pass", "    ")
            first = random.choice(["import pyspark\n", "" if again else "import pyspark\n"])
            return f"{first}{called}\ndef g{number}():\n{used}\ng{number}()", []
    return body, names


def a_program(random: Random) -> str:
    blocks = [a_block(random, number) for number in range(random.randint(1, 4))]
    later = [name for _, names in blocks for name in names]
    uses = [a_use(random, name) for name in random.sample(later, min(2, len(later)))]
    return "\n".join([*(text for text, _ in blocks), *uses]) + "\n"


def test_names_stand_for_the_same_before_and_after(packages: None) -> None:
    random = Random(0)
    changed = 0
    for _ in range(PROGRAMS):
        program = a_program(random)
        document = open_document("program.py", program.encode())
        project = analyse([document.source])
        result = rewrite(document, rules.findings(project.modules["program.py"], project))
        assert isinstance(result, Changed | Unchanged), program
        changed += isinstance(result, Changed)
        after = result.after.decode() if isinstance(result, Changed) else program
        before, error = said(program)
        if error is None:
            assert said(after) == (before, None), f"{program}\n--- became\n{after}"
    assert changed >= LEAST_CHANGED * PROGRAMS
