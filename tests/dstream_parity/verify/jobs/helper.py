"""A module of the job, found next to it, in the workers as well."""

import pyspark.streaming  # as helpers do


def shout(text):
    return text.upper()
