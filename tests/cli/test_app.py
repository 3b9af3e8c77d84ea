"""The program as a whole: help, errors, exit codes, and what a fresh process loads."""

from __future__ import annotations

import json
import re
import shlex
import subprocess
import sys
from importlib import import_module

import pytest

import protosphere as ps
from protosphere.cli.app import COMMANDS, program


def process(*arguments: str, **keywords) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "protosphere", *arguments]
    return subprocess.run(
        command, capture_output=True, text=True, check=False, timeout=120, **keywords
    )


def test_help_names_every_command(run):
    answer = run("--help")
    assert answer.exit_code == 0
    assert all(name in answer.out for name in COMMANDS)


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_has_help_with_two_examples_that_fits_80_columns(
    run, name, monkeypatch
):
    monkeypatch.setenv("COLUMNS", "80")
    answer = run(name, "--help")
    assert answer.exit_code == 0
    assert (
        answer.out.count(f"\n  protosphere {name}")
        == len(set(COMMANDS[name].examples))
        == 2
    )
    assert max(map(len, answer.out.splitlines())) <= 80
    for example in COMMANDS[name].examples:
        line = f"  protosphere {name} {example}".rstrip()
        assert line in answer.out.splitlines(), "a wrapped line cannot be copied"


def test_alone_it_says_what_can_be_done_next(run):
    answer = run()
    assert answer.exit_code == 0
    tried = re.findall(r"^    protosphere (.*)$", answer.out, re.M)
    assert len(tried) >= 5
    for arguments in tried:
        program().parse_args(
            shlex.split(arguments), exit_on_error=False, print_error=False
        )


def test_a_shell_completes_commands_and_options():
    script = program().generate_completion(shell="bash")
    assert all(
        name in script for name in [*COMMANDS, "--budget", "--install-completion"]
    )


@pytest.mark.parametrize(
    "arguments",
    [
        ["figure", "histogram-k10", "-o", ""],
        ["best", "-K", "3", "-n", "2", "--output="],
    ],
)
def test_an_empty_word_is_no_name(run, arguments):
    answer = run(*arguments)
    assert (answer.exit_code, answer.out) == (2, "")
    assert (
        answer.err
        == f"protosphere: what follows '{arguments[-1] or '-o'}' is empty; give it a value\n"
    )


def test_version(run):
    assert run("--version").out.strip() == ps.__version__


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        ("constrct bch", "did you mean 'construct'?"),
        ("frobnicate", "the commands are: list, best"),
        ("--frobnicate", "no option '--frobnicate'"),
        ("construct bch", "'construct' needs -K (--classes)"),
        ("construct bch -K 3", "'construct' needs -n (--dim)"),
        ("construct -K 3 -n 2", "SCHEME"),
        ("construct bch -K 3 -n", "the option -n (--dim) of 'construct' needs a value"),
        ("construct bch -K ten -n 2", "'ten' is not an integer"),
        ("construct bch -K 2.5 -n 2", "'2.5' is not an integer"),
        ("construct bch -K 3 -n 7 --modfy", "--modify"),
        ("construct bch -K 3 -n 7 --subset last", "first"),
        ("construct bch -K 3 -n 7 --lr fast", "fast"),
        ("construct bch extra -K 3 -n 7", "extra"),
        ("construct bch -K -5 -n 7", "at least 2, got -5"),
        ("construct bch -K 3 -n 7 --seed -1", "'seed'"),
        ("construct nope -K 3 -n 7", "'scheme' is not one we know"),
        ("certify", "'certify' needs FILE"),
        ("bounds -K 5", "'bounds' needs -n"),
        ("compare -K 9 --dims 1:99999999999", "up to 100,000 can be compared"),
        (
            "compare -K 9 --dims 4:16 --figure a.png --no-figure",
            "contradict each other",
        ),
        ("construct semantic -K 9 -n 4", "'train' finds one by --mapping align"),
        ("atlas --classes ten", "--classes must be like 10,100,1000, got 'ten'"),
        ("\x1b[31mred", r"no command '\x1b[31mred'"),
        ("certify a.csv b\x1b[31m", r"b\x1b[31m"),
        ("construct bch -K 3 -n 7 --subset \x9b31m\u202e", r"\x9b31m\u202e"),
    ],
)
def test_bad_input_is_one_sentence_and_exit_code_2(run, arguments, reason):
    answer = run(*arguments.split())
    assert (answer.exit_code, answer.out) == (2, "")
    assert reason in answer.err
    assert len(answer.err.strip().splitlines()) == 1
    assert answer.err.strip().startswith("protosphere: ")
    assert answer.err.strip().isprintable()


def test_interruption_is_quiet(run, monkeypatch):
    def interrupted(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(ps, "construct", interrupted)
    answer = run("construct", "simplex", "-K", 3, "-n", 2)
    assert answer.exit_code == 130
    assert answer.err.strip() == "protosphere: interrupted"


@pytest.mark.parametrize(
    "trouble", [MemoryError(), PermissionError(13, "Permission denied", "x.png")]
)
def test_the_machine_s_troubles_are_one_sentence(run, monkeypatch, trouble):
    def troubled(*_: object, **__: object) -> None:
        raise trouble

    monkeypatch.setattr(ps, "construct", troubled)
    answer = run("construct", "simplex", "-K", 3, "-n", 2)
    assert answer.exit_code == 2
    assert len(answer.err.strip().splitlines()) == 1


def test_a_reader_that_leaves_is_no_error():
    script = f"set -o pipefail; {sys.executable} -m protosphere list | true"
    done = subprocess.run(
        ["bash", "-c", script], capture_output=True, text=True, check=False, timeout=60
    )
    assert done.stderr == ""
    assert done.returncode in (0, 141)


def test_a_program_reads_only_json():
    done = process("construct", "bch", "-K", "100", "-n", "63", "--json")
    assert done.returncode == 0
    assert json.loads(done.stdout)["max_cosine_exact"] == "1/63"


def test_bad_input_in_a_real_process():
    done = process("construct", "bch", "-K", "100", "-n", "64")
    assert done.returncode == 2
    assert done.stdout == ""
    assert "Traceback" not in done.stderr


def test_output_survives_a_terminal_without_unicode():
    done = process("--help", env={"PYTHONIOENCODING": "ascii", "PATH": ""})
    assert done.returncode == 0


@pytest.mark.parametrize(
    "arguments",
    [
        ["--help"],
        ["--version"],
        ["list"],
        ["bounds", "-K", "100", "-n", "64"],
        ["figure", "list"],
    ],
)
def test_light_commands_load_nothing_heavy(arguments):
    script = (
        "import sys; from protosphere.cli import main; code = main(sys.argv[1:]);"
        "heavy = {'torch', 'matplotlib', 'scipy'} & set(sys.modules); sys.exit(f'loaded {heavy}' if heavy else code)"
    )
    done = subprocess.run(
        [sys.executable, "-c", script, *arguments],
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    assert (done.returncode, done.stderr) == (0, "")


def test_help_imports_no_command():
    script = (
        "import sys; from protosphere.cli import main; main(['--help']);"
        f"sys.exit(str([c for c in {[c.home(name).split(':')[0] for name, c in COMMANDS.items()]!r}"
        " if 'protosphere.cli.' + c in sys.modules] or ''))"
    )
    done = subprocess.run(
        [sys.executable, "-c", script],
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    assert done.stderr.strip() == ""


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_is_where_it_is_said_to_be(name):
    module, _, function = COMMANDS[name].home(name).partition(":")
    assert callable(getattr(import_module(f"protosphere.cli.{module}"), function))
