"""One sentence for each thing that can be wrong with a command."""

import difflib
from collections.abc import Sequence

from cyclopts import (
    CycloptsError,
    MissingArgumentError,
    UnknownCommandError,
    UnusedCliTokensError,
)

from protosphere.errors import ProtosphereError

SHELL_WORDING = {
    "modify=True": "--modify",
    "ps.available() names": "'protosphere list' names",
    "ps.taxonomy makes one": "'construct' takes --tree",
    "ps.similarity_from_features makes one": "'construct' takes --similarity, 'train' finds one by --mapping align",
}
"""What somebody at a shell writes where an error speaks Python."""

ARGUMENTS = {"-n": "dim", "-K": "num_classes", "--classes": "num_classes"}
"""Options that are not called what their argument in Python is."""


def error_sentence(
    error: BaseException,
    commands: Sequence[str],
    words: Sequence[str],
    program_name: str,
) -> str:
    """What is wrong, and where there is one the nearest thing that is right; `words` are the command line."""
    if isinstance(error, UnknownCommandError):
        return unknown_command((error.unused_tokens or ["?"])[0], commands)
    if isinstance(error, CycloptsError):
        return parser_error_sentence(error, program_name)
    if isinstance(error, ProtosphereError):
        sentence = str(error)
        for python, shell in SHELL_WORDING.items():
            sentence = sentence.replace(python, shell)
        return in_options_of(words, sentence)
    if isinstance(error, OSError):
        where = f"'{error.filename}'" if error.filename else "the system says"
        return f"{where}: {error.strerror or error}"
    return "this needs more memory than the machine has"


def in_options_of(words: Sequence[str], sentence: str) -> str:
    """Name the argument that an error begins with as the user wrote it.

    >>> in_options_of(["best", "-K", "10", "-n", "0"], "'dim' must be an integer of at least 1, got 0")
    "'-n' must be an integer of at least 1, got 0"
    """
    for option, argument in ARGUMENTS.items():
        if any(_is_option(word, option) for word in words) and sentence.startswith(
            f"'{argument}' "
        ):
            return sentence.replace(f"'{argument}'", f"'{option}'", 1)
    return sentence


def _is_option(word: str, option: str) -> bool:
    """Whether a word of a command line is this option, perhaps with its value."""
    is_short = not option.startswith("--")
    return word.partition("=")[0] == option or (is_short and word.startswith(option))


def misspelled(names: Sequence[str], words: Sequence[str]) -> str | None:
    """The option of a command line that may have been meant for one of these names.

    >>> misspelled(("--classes", "-K"), ["best", "-k", "10", "-n", "5"])
    '-k'
    """
    capitals = {name.lower() for name in names}
    long_names = [name for name in names if name.startswith("--")]
    for word in words:
        option = word.partition("=")[0]
        if option.lower() in capitals and option not in names:
            return option
        if option.startswith("--") and difflib.get_close_matches(
            option, long_names, n=1
        ):
            return option
    return None


def unknown_command(word: str, commands: Sequence[str]) -> str:
    """The nearest command, or all of them."""
    kind = "option" if word.startswith("-") else "command"
    near = difflib.get_close_matches(word, commands, n=1)
    if near:
        hint = f"did you mean '{near[0]}'?"
    else:
        hint = f"the commands are: {', '.join(commands)}"
    return f"there is no {kind} '{word}'; {hint}"


def parser_error_sentence(error: CycloptsError, program_name: str) -> str:
    """A sentence for what the parser refused, with the page that helps."""
    command = " ".join(error.command_chain or ())
    see = f"see: {program_name} {command} --help"
    if isinstance(error, MissingArgumentError) and error.argument is not None:
        names = error.argument.names
        given = misspelled(names, error.root_input_tokens or ())
        if given is not None:
            return f"'{command}' has no option {given}; did you mean {named(names)}?"
        return f"'{command}' needs {named(names)}; {see}"
    if isinstance(error, UnusedCliTokensError):
        return f"'{command}' does not know what to do with '{' '.join(error.unused_tokens or ())}'; {see}"
    return f"{str(error).rstrip('.')}; {see}"


def named(names: Sequence[str]) -> str:
    """All spellings of an option.

    >>> named(("--classes", "-K"))
    '-K (--classes)'
    """
    short, *others = sorted(names, key=len)
    return f"{short} ({', '.join(others)})" if others else short
