"""Lines that many examples of rules start with."""

CONTEXT = """\
from pyspark.streaming import StreamingContext
ssc = StreamingContext(sc, 2)
"""
"""Two lines: what follows is on line 3."""

HEAD = f"""\
{CONTEXT}\
lines = ssc.socketTextStream("localhost", 9999)
pairs = lines.map(lambda line: (line, 1))
"""
"""Four lines: what follows is on line 5."""

KAFKA = """\
from pyspark.streaming import StreamingContext
from pyspark.streaming.kafka import KafkaUtils
ssc = StreamingContext(sc, 2)
"""
"""Three lines: what follows is on line 4."""
