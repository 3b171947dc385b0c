"""Stands in for redis, in the driver and in the workers."""

import sys
from types import ModuleType


class Redis:
    def __init__(self, host):
        pass

    def get(self, key):
        return len(key)


redis = ModuleType("redis")
redis.Redis = Redis
sys.modules["redis"] = redis
