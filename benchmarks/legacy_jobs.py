"""DStream jobs by the thousand, put together from the shapes that real ones have."""

from __future__ import annotations

import random
from pathlib import Path

_IMPORTS = (
    "from pyspark.streaming import StreamingContext",
    "from pyspark.streaming import StreamingContext, DStream",
    "from pyspark.streaming.context import StreamingContext",
    "from pyspark.streaming import *",
)

_SOURCES = (
    ("", 'ssc.socketTextStream(settings["host"], int(settings["port"]))'),
    ("", 'ssc.textFileStream(settings["directory"])'),
    ("", "ssc.queueStream([sc.parallelize(range(n)) for n in range(3)])"),
    (
        "from pyspark.streaming.kafka import KafkaUtils",
        "KafkaUtils.createDirectStream(ssc, [settings['topic']], "
        '{"metadata.broker.list": settings["brokers"]}).map(lambda message: message[1])',
    ),
    (
        "from pyspark.streaming.kafka import KafkaUtils, TopicAndPartition",
        "KafkaUtils.createStream(ssc, settings['zookeeper'], 'group', {settings['topic']: 1})"
        ".map(lambda x: x[1])",
    ),
    (
        "from pyspark.streaming.kinesis import KinesisUtils, InitialPositionInStream",
        "KinesisUtils.createStream(ssc, 'app', settings['stream'], settings['url'], 'eu-west-1', "
        "InitialPositionInStream.LATEST, 2)",
    ),
)

_OPERATORS = (
    'parsed = parsed.filter(lambda event: event is not None and event.get("kind") != "heartbeat")',
    'parsed = parsed.map(lambda event: dict(event, received=int(event.get("received", 0))))',
    'counts = parsed.map(lambda event: (event["user"], 1)).reduceByKey(lambda a, b: a + b)',
    'totals = parsed.map(lambda event: (event["user"], event["amount"])) \\\n'
    "        .updateStateByKey(update_total)",
    "windowed = parsed.map(lambda event: (event['page'], 1)) \\\n"
    "        .reduceByKeyAndWindow(lambda a, b: a + b, lambda a, b: a - b, 60, 20)",
    "ranked = counts.transform(lambda rdd: rdd.sortBy(lambda pair: pair[1], ascending=False))",
    "grouped = parsed.map(lambda event: (event['page'], event)).groupByKey().mapValues(list)",
    "busy = parsed.window(60, 20).count()",
    "known = counts.leftOuterJoin(parsed.map(lambda event: (event['user'], event['country'])))",
    "everything = parsed.union(parsed.filter(lambda event: event['amount'] > 1000))",
)

_OUTPUTS = (
    "{stream}.pprint()",
    "{stream}.foreachRDD(save_batch)",
    "{stream}.foreachRDD(lambda time, rdd: report(time, rdd, settings))",
    "{stream}.foreachRDD(lambda rdd: rdd.foreachPartition(send_partition))",
    "{stream}.saveAsTextFiles(settings['out'])",
)

_HELPERS = (
    '''
def read_settings(path):
    """Settings of one environment, with defaults."""
    settings = {"host": "localhost", "port": 9999, "topic": "events", "out": "/data/out"}
    if os.path.exists(path):
        with open(path) as handle:
            for line in handle:
                key, _, value = line.partition("=")
                if key.strip() and not key.startswith("#"):
                    settings[key.strip()] = value.strip()
    return settings
''',
    '''
def parse_event(line):
    """One event, or None for what cannot be read."""
    try:
        event = json.loads(line)
    except ValueError:
        logger.warning("unreadable line of %d characters", len(line))
        return None
    event.setdefault("user", "unknown")
    event["amount"] = float(event.get("amount") or 0)
    event["page"] = event.get("page", "/").split("?")[0].rstrip("/") or "/"
    event["country"] = event.get("country", "").upper()[:2]
    return event
''',
    """
def update_total(new_values, total):
    if total is None:
        total = 0
    return sum(new_values, total)
""",
    """
def send_partition(records):
    connection = open_connection()
    try:
        for record in records:
            connection.send(json.dumps(record, sort_keys=True).encode("utf-8"))
    finally:
        connection.close()
""",
    """
def save_batch(time, rdd):
    if rdd.isEmpty():
        return
    try:
        rows = rdd.map(lambda pair: Row(key=str(pair[0]), value=str(pair[1])))
        frame = session(rdd.context).createDataFrame(rows)
        frame.createOrReplaceTempView("batch")
        frame.write.mode("append").parquet("/data/batches/%s" % time.strftime("%Y%m%d%H%M"))
    except Exception:
        logger.exception("batch of %s was not saved", time)
""",
    """
def session(context):
    if "session" not in globals():
        globals()["session"] = SparkSession.builder.config(conf=context.getConf()).getOrCreate()
    return globals()["session"]
""",
    """
def report(time, rdd, settings):
    top = rdd.take(10)
    print("-------------------------------------------")
    print("Time: %s, %d rows for %s" % (time, len(top), settings["topic"]))
    for position, row in enumerate(top, 1):
        print("{:>3}. {}".format(position, row))
""",
    """
def open_connection(host=None, port=None, retries=3):
    last = None
    for attempt in range(retries):
        try:
            return socket.create_connection((host or "localhost", port or 8125), timeout=5)
        except OSError as error:
            last = error
            logger.info("attempt %d failed", attempt + 1)
    raise RuntimeError("no connection after {} attempts".format(retries)) from last
""",
    '''
def session_length(events):
    """Seconds between the first and the last event, pauses over half an hour left out."""
    times = sorted(event["received"] for event in events)
    pauses = [later - earlier for earlier, later in zip(times, times[1:])]
    return sum(pause for pause in pauses if pause < 1800)
''',
    '''
class RunningStatistics(object):
    """Mean and variance of what was seen so far (Welford)."""

    def __init__(self):
        self.count, self.mean, self.squares = 0, 0.0, 0.0

    def add(self, value):
        self.count += 1
        delta = value - self.mean
        self.mean += delta / self.count
        self.squares += delta * (value - self.mean)

    @property
    def variance(self):
        return self.squares / (self.count - 1) if self.count > 1 else float("nan")
''',
)

_PLAIN = """
{helpers}

def main():
    settings = read_settings(sys.argv[1] if len(sys.argv) > 1 else "job.properties")
    sc = SparkContext(appName="{name}")
    sc.setLogLevel("WARN")
    ssc = StreamingContext(sc, {interval})
    ssc.checkpoint(settings.get("checkpoint", "/tmp/checkpoint"))
    # what comes in
    lines = {source}
    parsed = lines.map(parse_event)
    {operators}

    {outputs}
    ssc.start()
    ssc.awaitTermination()


if __name__ == "__main__":
    main()
"""

_CLASS = """
{helpers}

class {title}Job(object):
    def __init__(self, settings):
        self.settings = settings
        self.sc = SparkContext(conf=SparkConf().setAppName("{name}").set("spark.cores.max", "4"))

    def build(self):
        settings, sc = self.settings, self.sc
        ssc = StreamingContext(sc, {interval})
        lines = {source}
        parsed = lines.map(parse_event)
        {operators}

        {outputs}
        return ssc

    def run(self):
        ssc = StreamingContext.getOrCreate(self.settings["checkpoint"], self.build)
        ssc.start()
        ssc.awaitTermination()


if __name__ == "__main__":
    {title}Job(read_settings("job.properties")).run()
"""

_HEAD = '''"""{title}: reads {topic}, {purpose}.

usage: spark-submit {name}.py [settings]
"""

from __future__ import print_function

import json
import logging
import os
import socket
import sys

from pyspark import SparkConf, SparkContext
from pyspark.sql import Row, SparkSession
{imports}

logger = logging.getLogger(__name__)
'''


def source(number: int, random: random.Random) -> str:
    """One job; the same number and generator give the same."""
    connector, made = random.choice(_SOURCES)
    operators = random.sample(_OPERATORS, random.randint(4, 7))
    if "counts" in "".join(operators):  # what others build on comes first
        operators.sort(key=lambda line: not line.startswith("counts ="))
    names = [line.partition(" =")[0] for line in operators]
    if "counts" not in names:
        operators = [line for line in operators if "counts." not in line]
    outputs = [
        random.choice(_OUTPUTS).format(stream=line.partition(" =")[0])
        for line in operators
        if not line.startswith("parsed")
    ] or ["parsed.pprint(20)"]
    helpers = [*_HELPERS[:7], *random.sample(_HELPERS[7:], random.randint(1, 3))]
    random.shuffle(helpers)
    shape = random.choice((_PLAIN, _PLAIN, _CLASS))
    joint = "\n        " if shape is _CLASS else "\n    "
    name = f"{random.choice(('clicks', 'orders', 'sensors', 'logs', 'payments'))}_{number:04d}"
    title = name.title().replace("_", "")
    head = _HEAD.format(
        title=title,
        name=name,
        topic=random.choice(("events", "measurements", "requests", "log lines")),
        purpose=random.choice(("counts and stores them", "keeps totals per user", "finds peaks")),
        imports="\n".join(filter(None, (random.choice(_IMPORTS), connector))),
    )
    body = shape.format(
        helpers="\n".join(helpers),
        name=name,
        title=title,
        interval=random.choice((1, 2, 5, 10, 60)),
        source=made,
        operators=joint.join(operators),
        outputs=joint.join(outputs),
    )
    return head + body


def generate(directory: Path, count: int, seed: int = 0) -> int:
    """Write that many jobs; returns the number of bytes."""
    chance = random.Random(seed)
    written = 0
    for number in range(count):
        folder = directory / f"team_{number % 20:02d}"
        folder.mkdir(parents=True, exist_ok=True)
        text = source(number, chance)
        compile(text, "job", "exec")
        written += (folder / f"job_{number:04d}.py").write_text(text)
    return written
