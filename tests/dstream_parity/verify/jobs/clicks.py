"""A job whose elements are of classes in a module beside it."""

from models import Click, Visit
from pyspark import SparkContext
from pyspark.streaming import StreamingContext

ssc = StreamingContext(SparkContext(appName="clicks"), 1)
clicks = ssc.socketTextStream("localhost", 9999)
clicks.filter(lambda click: isinstance(click, Click)).pprint()
clicks.map(lambda click: Visit(click.user, 1)).pprint()
ssc.start()
ssc.awaitTermination()
