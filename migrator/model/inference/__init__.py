'''Who is a DStream: values followed through the modules of a run.

:func:`analyse` walks code like an interpreter that knows kinds of values instead of values. One job
shows how:

>>> from migrator.text.source import PythonSource
>>> job = PythonSource.read("job.py", b"""\\
... from pyspark.streaming import StreamingContext
...
... def cleaned(stream):
...     return stream.filter(len)
...
... ssc = StreamingContext(sc, 5)
... lines = ssc.socketTextStream("localhost", 9999)
... cleaned(lines).pprint()
... ssc.start()
... """)
>>> project = analyse([job])

**Units** (``units``). The module's body and ``cleaned`` are a unit each: code with its own names.
``fixpoint`` lets a :class:`~migrator.model.inference.walk.Walk` go through the statements of a unit
in order, keeping what every name is at that point. What to do with a node of the syntax tree is
registered in ``walk.EVALUATORS`` and ``walk.EXECUTORS`` by ``expressions``, ``calls``,
``assignments``, ``statements``, ``definitions`` and ``importing``.

**Values** (``values``). A value is a set of *atoms*, one for each thing that an expression may be.
The import binds ``StreamingContext`` to ``Named("pyspark.streaming.StreamingContext")``. Calling
that gives a ``Thing`` of the kind ``CONTEXT``; ``sc`` is bound nowhere, and shells bind it to a
SparkContext. An empty set means that nothing is known.

**Calls** (``calls``, ``dispatch``). What calling an atom does is registered in
``dispatch.CALLERS``. ``cleaned`` is a ``Func``: ``functions`` passes ``lines`` to its parameter,
walks its unit right there, and its result is what it returns. ``ssc.socketTextStream`` is a method
of the API: ``streaming`` makes an ``ApiCall`` of it, ``binding`` matches its arguments with the
real signature, ``callbacks`` follows functions among them, and ``effects`` notes the call and the
stream that it makes.

>>> [(call.owner, call.method, str(call.confidence)) for call in project.modules["job.py"].calls]
... # doctest: +NORMALIZE_WHITESPACE
[('DStream', 'filter', 'likely'),
 ('StreamingContext', '__init__', 'sure'),
 ('StreamingContext', 'socketTextStream', 'sure'),
 ('DStream', 'pprint', 'likely'),
 ('StreamingContext', 'start', 'sure')]

``filter`` is only likely: its stream came through a parameter.

**Again, until nothing changes** (``analysis``). Values only grow. Units that read a name, a
parameter, an attribute or a result are walked again when it grows, so the order of definitions and
calls between modules does not matter. Functions without a caller are walked last.

**Results** (``results``, ``timing``). What was found becomes plain data: the graph of streams, and
of each call whether it runs in every batch or after ``start()``.

>>> [(s.number, s.operation, s.parents, s.name) for s in project.streams]
[(0, 'filter', (1,), None), (1, 'socketTextStream', (), 'lines'), (2, 'pprint', (0,), None)]
>>> [job.path for job in project.jobs]
['job.py']

**Where following ends** (``escapes``, ``guesses``). A stream that is passed to an unknown function
or put where no atom is kept is an :class:`~migrator.model.jobmodel.Escape`. Something unknown that
has a method only DStreams have is taken for one, as a guess.
'''

from __future__ import annotations

from migrator.model.inference.fixpoint import analyse

__all__ = ["analyse"]
