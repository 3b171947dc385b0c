"""DS505: streaming models of MLlib."""

import pytest

from tests.migrator.rules import HEAD, check_found, check_noop

MODEL = """\
from pyspark.mllib.{module} import {name}
model = {name}()
"""


@pytest.mark.parametrize(
    ("module", "name"),
    [
        ("clustering", "StreamingKMeans"),
        ("regression", "StreamingLinearRegressionWithSGD"),
        ("classification", "StreamingLogisticRegressionWithSGD"),
    ],
)
def test_all_models_and_their_methods(module: str, name: str) -> None:
    code = HEAD + MODEL.format(module=module, name=name)
    code += "model.trainOn(lines)\nmodel.predictOn(lines).pprint()\n"
    check_found("DS505", code + "model.predictOnValues(pairs).pprint()\n", 9, 10, 11)


KMEANS = HEAD + MODEL.format(module="clustering", name="StreamingKMeans")


@pytest.mark.parametrize(
    "line",
    [
        "model.latestModel().centers",
        "model.setRandomCenters(2, 1.0, 0)",
        "lines.foreachRDD(lambda rdd: model.latestModel().update(rdd, 1.0, 'batches'))",
        "lines.map(lambda v: model.latestModel().predict(v)).pprint()",
        "other.trainOn(data)",
    ],
)
def test_what_works(line: str) -> None:
    check_noop("DS505", KMEANS + f"{line}\n")


def test_a_model_trained_in_batches_is_something_else() -> None:
    check_noop(
        "DS505", HEAD + "from pyspark.mllib.clustering import KMeans\nKMeans.train(rdd, 2)\n"
    )
