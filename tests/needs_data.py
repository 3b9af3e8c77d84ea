"""Which tests need a table that is not ours to ship."""

from __future__ import annotations

import os

import pytest

needs_data = pytest.mark.skipif(
    "PROTOSPHERE_DATA" not in os.environ,
    reason="the published table is not ours to ship: PROTOSPHERE_DATA names the folder that has it, as .ci/run does",
)
