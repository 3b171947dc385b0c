"""`migrate graph`: the stream graph of a job."""

from __future__ import annotations

import os
import sys

import click

from migrator.commands._common import encoded, settings, stdin, write_output
from migrator.files.discovery import STDIN, File, FileRole, NotFound, discover
from migrator.files.groups import bundles
from migrator.model.inference import analyse
from migrator.model.jobmodel import Job, Project, Stream
from migrator.report import graphs, pictures
from migrator.text.documents import Document
from migrator.text.opening import open_document
from migrator.text.source import Span, Unreadable

_FORMATS = {"text": graphs.tree, "mermaid": graphs.mermaid, "svg": pictures.svg}


@click.command("graph")
@click.argument("paths", nargs=-1, required=True, metavar="PATH…")
@click.option(
    "--format",
    "-f",
    type=click.Choice([*_FORMATS]),
    default="text",
    show_default=True,
    help="Output format.",
)
@click.option("--output", "-o", type=click.Path(dir_okay=False), help="Write the graph to a file.")
@click.option("--exclude", multiple=True, metavar="PATTERN", help="Skip these paths.")
@click.option("--python2", is_flag=True, help="Read files that are not Python 3 as Python 2.")
def command(
    paths: tuple[str, ...],
    format: str,
    output: str | None,
    exclude: tuple[str, ...],
    python2: bool,
) -> None:
    """Show how a job's streams are connected, from sources to outputs.

    PATH is a file, a notebook, a directory, or - for standard input. Name all modules of a job.

    Exit codes: 0, or 2 for a usage error or a file that could not be handled.
    """
    chosen = settings(paths, None, exclude=exclude)
    try:
        files = [*discover(paths, chosen.excludes, stdin=stdin(paths))]
    except NotFound as error:
        raise click.UsageError(str(error)) from None
    documents, failed = _open(_wanted(files, paths), python2)
    project = analyse(document.source for document in documents.values())
    failed = {**failed, **project.unreadable}
    jobs = [job for job in project.jobs if graphs.streams_of(project, job)]
    if format == "svg" and len(jobs) > 1:
        raise click.UsageError("a picture shows one job, but there are several: name a single file")
    made = "\n".join(_draw(project, job, format, documents) for job in jobs)
    if not jobs:
        click.echo("no streams found", err=True)
    elif output is None:
        click.echo(made if format == "text" else encoded(made), nl=not made.endswith("\n"))
    else:
        write_output(output, made)
    for path, reason in failed.items():
        click.echo(f"{path}: {reason}", err=True)
    sys.exit(2 if failed else 0)


def _wanted(files: list[File], paths: tuple[str, ...]) -> list[File]:
    """What is named outright, could not be read, or may have to do with streams."""
    jobs = [file for file in files if file.role is FileRole.JOB]
    related = {file.path for group in bundles(jobs) for file in group}
    named = {path if path == STDIN else os.path.normpath(path) for path in paths}
    return [file for file in jobs if file.error or file.path in related | named]


def _open(files: list[File], python2: bool) -> tuple[dict[str, Document], dict[str, str]]:
    documents, failed = {}, {}
    for file in files:
        try:
            if file.error is not None:
                raise Unreadable(file.error)
            documents[file.path] = open_document(file.path, file.raw, python2)
        except Unreadable as error:
            failed[file.path] = str(error)
    return documents, failed


def _draw(project: Project, job: Job, format: str, documents: dict[str, Document]) -> str:
    plain = graphs.line_in_file(job)

    def place(stream: Stream) -> str:
        document = documents[stream.path]
        at = document.source.offset(stream.line, stream.column - 1)
        shown = document.place(Span(at, at))
        if shown.cell is not None:
            return f"cell {shown.cell}, line {shown.line}"
        return plain(stream) if shown.line == stream.line else f"line {shown.line}"

    return _FORMATS[format](project, job, place)
