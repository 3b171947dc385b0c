"""Who is a DStream: values followed through the modules of a run.

:func:`analyse` walks every module, function and lambda like an interpreter that knows kinds of
values instead of values, until nothing new is learnt, and gives the
:class:`~migrator.model.jobmodel.Project`.
"""

from __future__ import annotations

from migrator.model.inference.fixpoint import analyse

__all__ = ["analyse"]
