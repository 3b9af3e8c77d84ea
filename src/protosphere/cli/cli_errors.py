"""Error messages of commands. Each message is one sentence."""

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
"""Replacements in the messages of the library: from a text with a Python expression to the text for a shell."""

ARGUMENTS = {"-n": "dim", "-K": "num_classes", "--classes": "num_classes"}
"""Command-line options that have another name in Python, each with the name of the Python argument."""


def error_sentence(
    error: BaseException,
    commands: Sequence[str],
    arguments: Sequence[str],
    program_name: str,
) -> str:
    """Return the error message for an exception.

    The message says what is wrong. If a similar input is known that would work, the message names it.

    Args:
        error: Exception that a command raised. An exception of an unexpected type is taken for a MemoryError.
        commands: Names of all commands.
        arguments: Arguments of the command line.
        program_name: Name of the program, for messages that refer to its help page.
    """
    if isinstance(error, UnknownCommandError):
        unknown = (error.unused_tokens or ["?"])[0]
        return unknown_command(unknown, commands)
    if isinstance(error, CycloptsError):
        return parser_error_sentence(error, program_name)
    if isinstance(error, ProtosphereError):
        return library_error_sentence(error, arguments)
    if isinstance(error, OSError):
        where = f"'{error.filename}'" if error.filename else "the system says"
        return f"{where}: {error.strerror or error}"
    return "this needs more memory than the machine has"


def library_error_sentence(error: ProtosphereError, arguments: Sequence[str]) -> str:
    """Return the message of a library error, with command-line options in place of Python arguments and expressions.

    Args:
        error: Error that the library raised.
        arguments: Arguments of the command line.
    """
    sentence = str(error)
    for python, shell in SHELL_WORDING.items():
        sentence = sentence.replace(python, shell)
    return in_options_of(arguments, sentence)


def in_options_of(arguments: Sequence[str], sentence: str) -> str:
    """Return a message in which the name of a Python argument is replaced by the option that the user gave.

    The name is replaced only at the start of the message, and only if it is `dim`, given as -n, or `num_classes`, given
    as -K or --classes.

    Args:
        arguments: Arguments of the command line.
        sentence: The message.

    >>> in_options_of(["best", "-K", "10", "-n", "0"], "'dim' must be an integer of at least 1, got 0")
    "'-n' must be an integer of at least 1, got 0"
    """
    for option, argument in ARGUMENTS.items():
        is_given = any(_is_option(argument, option) for argument in arguments)
        if is_given and sentence.startswith(f"'{argument}' "):
            return sentence.replace(f"'{argument}'", f"'{option}'", 1)
    return sentence


def _is_option(argument: str, option: str) -> bool:
    # an option may have a value, as in -n5, -n=5 or --dim=5
    if argument.partition("=")[0] == option:
        return True
    is_short = not option.startswith("--")
    return is_short and argument.startswith(option)


def misspelled(names: Sequence[str], arguments: Sequence[str]) -> str | None:
    """Return the first argument that is probably a misspelling of one option, or None if there is none.

    If the argument has the form --NAME=VALUE, only the part before the = is compared and returned.

    Args:
        names: All names of the option, such as ("--classes", "-K").
        arguments: Arguments of the command line.

    >>> misspelled(("--classes", "-K"), ["best", "-k", "10", "-n", "5"])
    '-k'
    """
    lower_names = {name.lower() for name in names}
    long_names = [name for name in names if name.startswith("--")]
    for argument in arguments:
        option = argument.partition("=")[0]
        if option in names:
            continue
        if option.lower() in lower_names:
            return option
        is_long = option.startswith("--")
        if is_long and difflib.get_close_matches(option, long_names, n=1):
            return option
    return None


def unknown_command(argument: str, commands: Sequence[str]) -> str:
    """Return the error message for an unknown command.

    The message suggests the most similar command. If no command is similar, it lists all commands.

    Args:
        argument: The unknown command or option.
        commands: Names of all commands.
    """
    kind = "option" if argument.startswith("-") else "command"
    near = difflib.get_close_matches(argument, commands, n=1)
    if near:
        hint = f"did you mean '{near[0]}'?"
    else:
        hint = f"the commands are: {', '.join(commands)}"
    return f"there is no {kind} '{argument}'; {hint}"


def parser_error_sentence(error: CycloptsError, program_name: str) -> str:
    """Return the message for an error of the command-line parser.

    If an option seems to be misspelled, the message suggests its correct name. Otherwise the message names the command
    that shows the help page.

    Args:
        error: Error that the parser of the command line raised.
        program_name: Name of the program.
    """
    command = " ".join(error.command_chain or ())
    see = f"see: {program_name} {command} --help"
    if isinstance(error, MissingArgumentError) and error.argument is not None:
        names = error.argument.names
        tokens = error.root_input_tokens or ()
        if any(token.removesuffix("=") in names for token in tokens):
            return f"the option {named(names)} of '{command}' needs a value; {see}"
        given = misspelled(names, tokens)
        if given is not None:
            return f"'{command}' has no option {given}; did you mean {named(names)}?"
        return f"'{command}' needs {named(names)}; {see}"
    if isinstance(error, UnusedCliTokensError):
        unused = " ".join(error.unused_tokens or ())
        return f"'{command}' takes no argument '{unused}'; {see}"
    return f"{str(error).rstrip('.')}; {see}"


def named(names: Sequence[str]) -> str:
    """Return the shortest name of an option, followed by its other names in parentheses.

    Args:
        names: All names of the option.

    >>> named(("--classes", "-K"))
    '-K (--classes)'
    """
    short, *others = sorted(names, key=len)
    return f"{short} ({', '.join(others)})" if others else short
