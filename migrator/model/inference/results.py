"""What was found, as the data that rules read."""

from __future__ import annotations

import ast
import re
from collections.abc import Collection, Mapping
from dataclasses import replace

from migrator.model import api
from migrator.model.inference.analysis import Analysis, ContextRecord
from migrator.model.inference.timing import Timing
from migrator.model.inference.units import ImportRecord, ModuleUnit
from migrator.model.jobmodel import Call, Context, Import, Job, Kind, Module, Project, Stream
from migrator.text.words import stem


def project(
    analysis: Analysis, unreadable: Mapping[str, str], named: Collection[str] = ()
) -> Project:
    timing = Timing(analysis)
    kept = _kept_streams(analysis)
    rank = {path: number for number, path in enumerate(analysis.modules)}
    order = sorted(
        kept,
        key=lambda n: (rank[analysis.streams[n].module.path], *_place(analysis.streams[n].node)),
    )
    renumbered = {old: new for new, old in enumerate(order)}
    modules = {
        path: _module(analysis, module, timing, renumbered, path in named)
        for path, module in analysis.modules.items()
        if path not in unreadable
    }
    streams = tuple(_stream(analysis, old, renumbered) for old in order)
    contexts = tuple(_context(record) for record in analysis.contexts)
    jobs = _jobs(analysis, modules, contexts)
    return Project(modules, contexts, streams, jobs, dict(unreadable))


def _place(node: ast.AST) -> tuple[int, int]:
    """Where its name stands: in a chain all calls begin at the same place."""
    if isinstance(node, ast.Call):
        function = node.func
        return function.end_lineno or node.lineno, function.end_col_offset or node.col_offset
    return getattr(node, "lineno", 0), getattr(node, "col_offset", 0)


def _kept_streams(analysis: Analysis) -> list[int]:
    """All but those handed in from outside that turned out to be made in the run."""
    parents = {n for record in analysis.streams for n in record.parents}
    return [r.number for r in analysis.streams if not r.handed or r.number in parents]


def _stream(analysis: Analysis, old: int, renumbered: Mapping[int, int]) -> Stream:
    record = analysis.streams[old]
    line, column = _operation_place(record.node)
    return Stream(
        renumbered[old],
        record.role,
        record.operation,
        tuple(sorted(renumbered[n] for n in record.parents if n in renumbered)),
        record.module.path,
        line,
        column,
        record.confidence,
        record.name,
        min(_contexts_of(analysis, old), default=None),
    )


def _operation_place(node: ast.AST) -> tuple[int, int]:
    """Line and column, from 1, of the operation's own name."""
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        function = node.func
        line = function.end_lineno or node.lineno
        return line, (function.end_col_offset or len(function.attr)) - len(function.attr) + 1
    return getattr(node, "lineno", 1), getattr(node, "col_offset", 0) + 1


def _contexts_of(analysis: Analysis, number: int) -> set[int]:
    """The nearest contexts that a stream may belong to."""
    found: set[int] = set()
    seen: set[int] = set()
    todo = [number]
    while todo:
        at = todo.pop()
        if at not in seen:
            seen.add(at)
            record = analysis.streams[at]
            found |= record.contexts
            todo += record.parents
    return found


def _context(record: ContextRecord) -> Context:
    return Context(
        record.number,
        record.module.path,
        getattr(record.node, "lineno", 1),
        getattr(record.node, "col_offset", 0) + 1,
        tuple(record.started),
        record.checkpointed,
        record.batch_seconds,
    )


def _module(
    analysis: Analysis,
    module: ModuleUnit,
    timing: Timing,
    renumbered: Mapping[int, int],
    named: bool,
) -> Module:
    calls = [_call(analysis, module, call, timing, renumbered) for call in module.calls.values()]
    attributes = [
        replace(a, in_batch=batch) if (batch := timing.batch(module.unit_of[a.node])) else a
        for a in module.attributes.values()
    ]
    return Module(
        module.path,
        module.name,
        module.source,
        tuple(_imports(analysis, module, named)),
        tuple(sorted(calls, key=lambda call: _place(call.node))),
        tuple(sorted(attributes, key=lambda a: _end(a.node))),
        tuple(sorted(module.tests.values(), key=lambda test: _end(test.node))),
        tuple(sorted(module.escapes.values(), key=lambda e: _end(e.node))),
        tuple(sorted(module.unimported.values(), key=lambda u: _end(u.node))),
        dict(module.qualified),
        frozenset(module.local_imports),
    )


def _end(node: ast.AST) -> tuple[int, int]:
    return getattr(node, "end_lineno", 0) or 0, getattr(node, "end_col_offset", 0) or 0


def _call(
    analysis: Analysis,
    module: ModuleUnit,
    call: Call,
    timing: Timing,
    renumbered: Mapping[int, int],
) -> Call:
    unit = module.unit_of[call.node]
    batch = timing.batch(unit)
    after = False
    if timing.any_start:
        contexts = analysis.contexts_at.get(call.node, set())
        if call.stream is not None:
            contexts = _contexts_of(analysis, call.stream)
        after = timing.after_start(call.node, unit, contexts)
    stream = renumbered.get(call.stream) if call.stream is not None else None
    elsewhere = timing.elsewhere(unit) or call.node in analysis.elsewhere
    if batch is None and not after and not elsewhere and stream == call.stream:
        return call
    return replace(call, stream=stream, in_batch=batch, after_start=after, elsewhere=elsewhere)


def _imports(analysis: Analysis, module: ModuleUnit, named: bool) -> list[Import]:
    exported = _exported(module)
    found = []
    for record in module.all_imports:
        if not _wanted(analysis, record):
            continue
        strings = dict(record.string_uses)
        strings.update(dict.fromkeys(exported.get(record.bound, ())))
        found.append(
            Import(
                record.node,
                record.alias,
                record.module,
                record.name,
                record.bound,
                tuple(sorted(record.uses, key=_end)),  # type: ignore[arg-type]
                tuple(strings),
                record.exported
                or record.bound in exported
                or _may_be_taken(analysis, module, record, named),
            )
        )
    return found


def _may_be_taken(
    analysis: Analysis, module: ModuleUnit, record: ImportRecord, named: bool
) -> bool:
    """Whether a name that is not used here may be taken from here in a way that is not followed:
    another file mentions the module and does not import it."""
    if record.uses or record not in module.imports.get(record.bound, ()):
        return False
    if named or len(analysis.modules) == 1:
        return named
    word = stem(module.path).decode("utf-8", "replace")
    pattern = re.compile(rf"\b{word}\b")
    return any(
        pattern.search(other.source.text)
        for path, other in analysis.modules.items()
        if path != module.path and module.path not in other.local_imports
    )


def _wanted(analysis: Analysis, record: ImportRecord) -> bool:
    if api.submodule(record.module) is not None or record.name == "streaming":
        return True
    return record.name in api.HOMES or record.name in analysis.vendored


def _exported(module: ModuleUnit) -> dict[str, list[ast.Constant]]:
    """Names in ``__all__``, where they stand."""
    found: dict[str, list[ast.Constant]] = {}
    for statement in module.source.tree.body:
        targets: list[ast.expr] = []
        if isinstance(statement, ast.Assign):
            targets = statement.targets
        elif isinstance(statement, ast.AugAssign | ast.AnnAssign):
            targets = [statement.target]
        if any(isinstance(t, ast.Name) and t.id == "__all__" for t in targets):
            for node in ast.walk(statement):
                if isinstance(node, ast.Constant) and isinstance(node.value, str):
                    found.setdefault(node.value, []).append(node)
    return found


def _jobs(
    analysis: Analysis, modules: Mapping[str, Module], contexts: tuple[Context, ...]
) -> tuple[Job, ...]:
    """A job per module that starts a context; a module that belongs to none is its own job."""
    starting = {path for context in contexts for path, _ in context.started}
    making = {
        path
        for path, module in modules.items()
        for call in module.calls
        if call.on is Kind.CONTEXT and call.method in ("__init__", "getOrCreate")
    }
    streaming = {path for path, module in modules.items() if module.uses_streams}
    jobs: list[Job] = []
    covered: set[str] = set()
    for candidates in (starting, making, streaming):
        for path in modules:
            if path in candidates and path not in covered and path in streaming:
                members = [p for p in _reached(modules, path) if p in streaming]
                jobs.append(Job(path, tuple(members), library=candidates is streaming))
        covered |= {path for job in jobs for path in job.modules}
    return tuple(sorted(jobs, key=lambda job: list(modules).index(job.path)))


def _reached(modules: Mapping[str, Module], path: str) -> list[str]:
    found = [path]
    for at in found:
        found += sorted(p for p in modules[at].local_imports if p not in found and p in modules)
    return found
