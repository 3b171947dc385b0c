"""Classes of elements, beside the jobs that use them."""

from collections import namedtuple


class Click(object):
    def __init__(self, user):
        self.user = user

    def __reduce__(self):
        return Click, (self.user,)


Visit = namedtuple("Visit", "user pages")
