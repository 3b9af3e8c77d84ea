"""`protosphere best` when it is interrupted."""

from __future__ import annotations

import protosphere as ps
from protosphere.cli import best as command


def test_ctrl_c_prints_the_answer_so_far_and_the_exit_code_of_a_shell(run, monkeypatch):
    plain = ps.best

    def pressed(**options):
        def press(stage, done, total):
            if stage.startswith("optimizing"):
                raise KeyboardInterrupt

        return plain(**options | {"progress": press})

    monkeypatch.setattr(command.ps, "best", pressed)
    answer = run("best", "-K", 330, "-n", 8, "--iterations", 10**6, "--json")
    assert answer.exit_code == 130
    assert answer.json["interrupted"]
    assert "interrupted" in answer.json["reason"]
