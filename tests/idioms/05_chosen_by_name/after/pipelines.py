def words(stream):
    stream.flatMap(lambda line: line.split()).countByValue().pprint()  # expect: DS905


def lengths(stream):
    stream.map(len).pprint()  # expect: DS905
