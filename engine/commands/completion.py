"""`completion`: a script with which a shell completes commands, options, choices, files and names of lessons.

The script is made from the parsers and needs nothing of Gradstep when it runs, so it is fast; it is printed again after
an update. Words that are offered contain no spaces or quotes. Files are offered by their extensions
(`completed_by`).
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from engine.commands.command import DONE, completion_of
from engine.terminal import say_text

NAME = "gradstep"
DEFAULT_COMMAND = "window"
"""Its arguments can be typed without its name."""
EXAMPLES = (
    ("completion bash", "print the script; `source <(gradstep completion bash)` in ~/.bashrc loads it"),
    ("completion zsh", "the same for zsh: `source <(gradstep completion zsh)` in ~/.zshrc, below compinit"),
    ("completion fish", "for fish: save it as ~/.config/fish/completions/gradstep.fish"),
)


@dataclass(frozen=True)
class Argument:
    """An option, or an argument without a name.

    Attributes:
        flags: such as `-o` and `--output`; none for an argument without a name.
        title: what its value is called in help.
        meaning: one line.
        takes_value: False for a switch.
        words: what can stand there.
        extensions: of files that can stand there, without dots.
        folders: folders can stand there.
    """

    flags: tuple[str, ...]
    title: str
    meaning: str
    takes_value: bool
    words: tuple[str, ...]
    extensions: tuple[str, ...]
    folders: bool


@dataclass(frozen=True)
class Level:
    """Options and arguments that can follow some commands.

    Attributes:
        path: the commands, separated by spaces; "" for none.
        commands: that can follow, with their summaries.
        arguments: options and arguments.
    """

    path: str
    commands: Mapping[str, str]
    arguments: tuple[Argument, ...]

    @property
    def words(self) -> list[str]:
        """Return everything that can stand where no option's value is expected."""
        named = [flag for argument in self.arguments for flag in argument.flags]
        free = [word for argument in self.positional for word in argument.words]
        return [*self.commands, *named, *free]

    @property
    def positional(self) -> list[Argument]:
        return [argument for argument in self.arguments if not argument.flags]


def options(parser: argparse.ArgumentParser) -> None:
    """Add the argument of `completion`."""
    parser.add_argument("shell", choices=tuple(SCRIPTS), metavar="SHELL", help=", ".join(SCRIPTS))


def print_script(typed: argparse.Namespace, parser: argparse.ArgumentParser) -> int:
    """Print the script for a shell, made from the parser of the whole program with all options."""
    say_text("\n".join(SCRIPTS[typed.shell](levels_of(parser))) + "\n")
    return DONE


def levels_of(parser: argparse.ArgumentParser) -> list[Level]:
    """Return the levels of a parser, the program itself first."""
    levels = list(_levels(parser, ""))
    root, default = levels[0], next(level for level in levels if level.path == DEFAULT_COMMAND)
    more = [a for a in default.arguments if "--help" not in a.flags]
    return [Level("", root.commands, (*root.arguments, *more)), *levels[1:]]


def _levels(parser: argparse.ArgumentParser, path: str) -> Iterator[Level]:
    commands: dict[str, str] = {}
    parts: dict[str, argparse.ArgumentParser] = {}
    arguments = []
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            parts = action.choices
            commands = {part.dest: part.help or "" for part in action._choices_actions}
            continue
        offered = completion_of(action)
        arguments.append(
            Argument(
                tuple(action.option_strings),
                str(action.metavar or action.dest).lower(),
                (action.help or "").replace("%%", "%"),
                action.nargs != 0,
                (*map(str, action.choices or ()), *offered.words()),
                tuple(suffix.removeprefix(".") for suffix in offered.suffixes),
                offered.folders,
            )
        )
    yield Level(path, commands, tuple(arguments))
    for name, part in parts.items():
        yield from _levels(part, f"{path} {name}".strip())


# bash: one function that finds the commands before the cursor, and then looks at the word before it. It works in
# bash 3.2 (macOS), which has neither mapfile nor compopt.

_BASH = r"""
_gradstep() {
    local cur="${COMP_WORDS[COMP_CWORD]}" prev="${COMP_WORDS[COMP_CWORD-1]}"
    local path="" words="" extensions="" folders="" i extension
    if [[ $cur == "=" ]]; then
        cur=""
    elif [[ $prev == "=" ]]; then
        prev="${COMP_WORDS[COMP_CWORD-2]}"
    fi
    for ((i = 1; i < COMP_CWORD; i++)); do
        case "$path ${COMP_WORDS[i]}" in
            @PATHS@) path="$path ${COMP_WORDS[i]}" ;;
        esac
    done
    case "$path $prev" in
@VALUES@
        *)
            case "$path" in
@LEVELS@
            esac
            if [[ $cur == -* ]]; then extensions="" folders=""; fi ;;
    esac
    local IFS=$' \n'
    COMPREPLY=($(compgen -W "$words" -- "$cur"))
    IFS=$'\n'
    for extension in $(compgen -W "${extensions// /$'\n'}"); do
        COMPREPLY+=($(compgen -f -X "!*.$extension" -- "$cur"))
    done
    if [[ -n $extensions$folders ]]; then COMPREPLY+=($(compgen -d -- "$cur")); fi
}
complete -o filenames -F _gradstep gradstep"""


def bash(levels: list[Level]) -> Iterator[str]:
    """Yield the lines of the script for bash."""
    values, cases = [], []
    for level in levels:
        path = f" {level.path}" if level.path else ""
        for argument in level.arguments:
            if argument.flags and argument.takes_value:
                patterns = "|".join(f'"{path} {flag}"' for flag in argument.flags)
                values.append(f"        {patterns}) {_bash_offer(argument.words, [argument])} ;;")
        words = level.words
        cases.append(f'                "{path}") {_bash_offer(words, level.positional)} ;;')
    paths = "|".join(f'" {level.path}"' for level in levels if level.path)
    script = (
        _BASH.replace("@PATHS@", paths).replace("@VALUES@", "\n".join(values)).replace("@LEVELS@", "\n".join(cases))
    )
    yield "# Completion of Gradstep for bash; made by `gradstep completion bash`."
    yield script.strip()


def _bash_offer(words: list[str] | tuple[str, ...], arguments: list[Argument]) -> str:
    extensions = " ".join(extension for argument in arguments for extension in argument.extensions)
    folders = "yes" if any(argument.folders for argument in arguments) else ""
    return f'words="{" ".join(words)}" extensions="{extensions}" folders="{folders}"'


# zsh: a function for each level, with the descriptions of options as `_arguments` shows them.


def zsh(levels: list[Level]) -> Iterator[str]:
    """Yield the lines of the script for zsh."""
    yield "#compdef gradstep"
    yield "# Completion of Gradstep for zsh; made by `gradstep completion zsh`."
    for level in reversed(levels):
        name = "_".join(("_gradstep", *level.path.split()))
        yield ""
        yield f"{name}() {{"
        if level.commands:
            yield from _zsh_commands(level, name)
        else:
            yield from _zsh_arguments(level)
        yield "}"
    yield ""
    yield 'if [[ "$funcstack[1]" == "_gradstep" ]]; then _gradstep "$@"; else compdef _gradstep gradstep; fi'


def _zsh_commands(level: Level, name: str) -> Iterator[str]:
    yield "  if (( CURRENT == 2 )) && [[ $words[2] != -* ]]; then"
    yield "    local -a commands=("
    yield from (f"      {_quoted(f'{word}:{meaning}')}" for word, meaning in level.commands.items())
    yield "    )"
    yield "    _describe -t commands command commands"
    yield from (f"    {_zsh_value(argument)}" for argument in level.positional)
    yield "    return"
    yield "  fi"
    yield "  case $words[2] in"
    for word in level.commands:
        yield f"    {word}) shift words; (( CURRENT-- )); {name}_{word} ;;"
    yield "    *)"
    yield from (f"    {line}" for line in _zsh_arguments(level))
    yield "    ;;"
    yield "  esac"


def _zsh_arguments(level: Level) -> Iterator[str]:
    lines = []
    for argument in level.arguments:
        title = argument.title.replace(":", "")
        value = f":{title}:{_zsh_value(argument)}" if argument.takes_value else ""
        if not argument.flags:
            lines.append(_quoted(f"*{value}"))
        meaning = argument.meaning.replace("[", r"\[").replace("]", r"\]").replace(":", r"\:")
        lines += [_quoted(f"{flag}[{meaning}]{value}") for flag in argument.flags]
    yield "  _arguments " + " \\\n    ".join(lines)


def _zsh_value(argument: Argument) -> str:
    """Return the action of `_arguments` that offers the values of an argument."""
    files = f'_files -g "*.({"|".join(argument.extensions)})"' if argument.extensions else ""
    words = f"({' '.join(argument.words)})" if argument.words else ""
    if files and words:
        return f"{{compadd {' '.join(argument.words)}; {files}}}"
    return files or words or ("_files -/" if argument.folders else " ")


# fish: a line for each command and option, under the condition that the commands before the cursor are these.

_FISH = """# Completion of Gradstep for fish; made by `gradstep completion fish`.
function __gradstep_at --description 'Succeed when the commands before the cursor are these'
    set -l path ''
    for word in (commandline -opc)[2..-1]
        switch "$path $word"
            case @PATHS@
                set path "$path $word"
        end
    end
    test "$path" = "$argv[1]"
end
function __gradstep_files --description 'Files with one of these extensions, and folders'
    set -l token (commandline -ct)
    for extension in $argv
        for file in $token*.$extension
            echo $file
        end
    end
    __fish_complete_directories $token ''
end
complete -c gradstep -f"""


def fish(levels: list[Level]) -> Iterator[str]:
    """Yield the lines of the script for fish."""
    yield _FISH.replace("@PATHS@", " ".join(f"' {level.path}'" for level in levels if level.path))
    for level in levels:
        path = f" {level.path}" if level.path else ""
        start = f"complete -c gradstep -n {_quoted(f'__gradstep_at {_quoted(path)}')}"
        for word, meaning in level.commands.items():
            yield f"{start} -a {word} -d {_quoted(meaning)}"
        for argument in level.arguments:
            short = [f"-s {flag[1:]}" for flag in argument.flags if not flag.startswith("--")]
            long = [f"-l {flag[2:]}" for flag in argument.flags if flag.startswith("--")]
            value = list(argument.words)
            if argument.extensions:
                value.append(f"(__gradstep_files {' '.join(argument.extensions)})")
            if argument.folders:
                value.append("(__fish_complete_directories (commandline -ct) '')")
            offer = [f"-a {_quoted(' '.join(value))}"] if value else []
            needs = ["-x"] if argument.flags and argument.takes_value else []
            if argument.flags or value:
                yield " ".join((start, *short, *long, *needs, *offer, "-d", _quoted(argument.meaning)))


def _quoted(text: str) -> str:
    r"""Return the text in single quotes; a quote inside is written `'\''`, which all three shells understand."""
    return "'" + text.replace("'", "'\\''") + "'"


SCRIPTS = {"bash": bash, "zsh": zsh, "fish": fish}
