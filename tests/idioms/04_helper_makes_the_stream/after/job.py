import sys

import helper
import sink

ssc, stream = helper.make("clicks", 10, "clicks", sys.argv[1])
values = stream.map(lambda message: message[1])
counts = values.countByValue().transform(lambda rdd: rdd.sortBy(lambda pair: -pair[1]))  # expect: DS312
sink.write(counts)
ssc.start()
ssc.awaitTermination()
