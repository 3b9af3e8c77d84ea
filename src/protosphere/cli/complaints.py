"""One sentence for each thing that can be wrong with a command."""

import difflib
from collections.abc import Sequence

from cyclopts import CycloptsError, MissingArgumentError, UnknownCommandError, UnusedCliTokensError

from protosphere.errors import ProtosphereError

SPOKEN = {
    "modify=True": "--modify",
    "ps.taxonomy makes one": "'construct' takes --tree",
    "ps.similarity_from_features makes one": "'construct' takes --similarity, 'train' finds one by --mapping align",
}
"""What somebody at a shell writes where an error speaks Python."""


def complaint(error: BaseException, commands: Sequence[str], program_name: str) -> str:
    """What is wrong, and where there is one the nearest thing that is right."""
    if isinstance(error, UnknownCommandError):
        return unknown_command((error.unused_tokens or ["?"])[0], commands)
    if isinstance(error, CycloptsError):
        return parse_complaint(error, program_name)
    if isinstance(error, ProtosphereError):
        sentence = str(error)
        for python, shell in SPOKEN.items():
            sentence = sentence.replace(python, shell)
        return sentence
    if isinstance(error, OSError):
        where = f"'{error.filename}'" if error.filename else "the system says"
        return f"{where}: {error.strerror or error}"
    return "this needs more memory than the machine has"


def unknown_command(word: str, commands: Sequence[str]) -> str:
    """The nearest command, or all of them."""
    kind = "option" if word.startswith("-") else "command"
    near = difflib.get_close_matches(word, commands, n=1)
    hint = f"did you mean '{near[0]}'?" if near else f"the commands are: {', '.join(commands)}"
    return f"there is no {kind} '{word}'; {hint}"


def parse_complaint(error: CycloptsError, program_name: str) -> str:
    """A sentence for what the parser refused, with the page that helps."""
    command = " ".join(error.command_chain or ())
    see = f"see: {program_name} {command} --help"
    if isinstance(error, MissingArgumentError) and error.argument is not None:
        return f"'{command}' needs {named(error.argument.names)}; {see}"
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
