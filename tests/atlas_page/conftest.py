"""The page's logic without a page: its scripts run by Node.js on the data that the package gives them."""

from __future__ import annotations

import json
import shutil
import subprocess

import pytest

from protosphere.atlas_page.html import LOGIC, page_script
from protosphere.atlas_page.page_data import page_data


@pytest.fixture(scope="session")
def data():
    return page_data()


@pytest.fixture(scope="session")
def evaluated(data, tmp_path_factory):
    """A function from an expression of the page's scripts to its value."""
    node = shutil.which("node")
    if node is None:
        pytest.skip(
            "no Node.js to run the page's scripts; the browser's tests run them as well"
        )
    folder = tmp_path_factory.mktemp("page")
    (folder / "data.json").write_text(json.dumps(data))

    def value(expression):
        program = f"globalThis.DATA = require('./data.json');\n{page_script(LOGIC)}\n"
        (folder / "program.js").write_text(
            f"{program}process.stdout.write(JSON.stringify({expression}));"
        )
        ran = subprocess.run(
            [node, "program.js"],
            cwd=folder,
            capture_output=True,
            text=True,
            check=False,
        )
        assert ran.returncode == 0, ran.stderr
        return json.loads(ran.stdout)

    return value
