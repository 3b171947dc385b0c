"""``TwitterUtils``: the name. The streaming API behind it was switched off in 2023."""

from __future__ import annotations

from dstream_compat.gone import refusing

__all__ = ["TwitterUtils"]


class TwitterUtils:
    """Made streams of tweets; its call raises now."""

    createStream = refusing(
        "TwitterUtils.createStream",
        "the API that this stream read (statuses/filter of version 1.1) was switched off in 2023.",
        "X's filtered stream of version 2 is a plain HTTP response with a JSON text per line.",
    )
