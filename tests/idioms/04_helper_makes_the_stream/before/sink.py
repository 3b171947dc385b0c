def write(stream):
    stream.foreachRDD(lambda rdd: rdd.foreach(print))
