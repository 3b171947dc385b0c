"""DS804: lines that submit Python jobs."""

from __future__ import annotations

import pytest

from tests.migrator.rules.around import check_examples, check_lines


def test_the_examples_are_true() -> None:
    check_examples("DS804")


@pytest.mark.parametrize(
    "text",
    [
        "/opt/spark/bin/spark-submit --master yarn job.py\n",
        "exec $SPARK_HOME/bin/spark-submit \\\n    --conf a=b \\\n    $JOBS/clicks.py 2> log\n",
        "exec spark-submit \\\r\n    job.py\r\n",
        'command: ["spark-submit", "--master", "local[2]", "/jobs/clicks.py"]\n',
        'ENTRYPOINT ["spark-submit", "job.py"]\n',
        "- spark-submit\n- --master\n- yarn\n- local:///jobs/clicks.py\n",
    ],
)
def test_a_line_that_submits_a_python_file_is_found_where_it_begins(text: str) -> None:
    check_lines("DS804", text, 1)


@pytest.mark.parametrize(
    "text",
    [
        "spark-submit --class com.example.Main app.jar\n",
        "which spark-submit\n\npython setup.py install\n",
        "# spark-submit job.py\n",
        "spark-submitter job.py\n",
        "- spark-submit\n- app.jar\nother:\n- job.py\n",
    ],
)
def test_other_lines_are_left_alone(text: str) -> None:
    check_lines("DS804", text)


def test_in_cluster_mode_the_driver_is_elsewhere() -> None:
    (found,) = check_lines("DS804", "spark-submit --deploy-mode cluster job.py\n", 1)
    assert "on the cluster" in found.help
    (found,) = check_lines("DS804", "spark-submit --deploy-mode client job.py\n", 1)
    assert "on the cluster" not in found.help


def test_arguments_of_the_line_are_not_repeated() -> None:
    (found,) = check_lines("DS804", "spark-submit --conf k=s3cr3t job.py --password hunter2\n", 1)
    assert "s3cr3t" not in found.message + found.help
    assert "hunter2" not in found.message + found.help
