"""`make docs` builds the site; a warning of mkdocs is a failure."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from tests.docs.blocks import ROOT


def test_the_site_builds_without_a_warning(tmp_path: Path) -> None:
    done = subprocess.run(
        [
            *(sys.executable, "-m", "mkdocs", "build", "--quiet", "--strict"),
            *("--site-dir", str(tmp_path / "site")),
        ],
        cwd=ROOT,
        env={**os.environ, "NO_MKDOCS_2_WARNING": "1"},
        capture_output=True,
        text=True,
    )
    assert (done.returncode, done.stdout + done.stderr) == (0, "")
    assert (tmp_path / "site" / "verify" / "index.html").is_file()
