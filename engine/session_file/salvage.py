"""Read what can be read of a damaged session file: cut off, changed by hand, written by a newer version, or foreign.

`salvage` never raises for bad content. It takes the file apart field by field, so that one broken line costs one field:
each known field is looked for by its name, its value is parsed by itself and checked by its rule, and the default takes
the place of one that is missing or refused. At last the sections are made to fit together. Of a program that is cut off
the complete lines are kept, and of the recorded runs the complete ones.
"""

from __future__ import annotations

import dataclasses
import json
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import chain
from pathlib import Path
from typing import Any

from engine.autograd.notation import counted
from engine.document.data_section import Data
from engine.document.document import SECTIONS, Document, Network, Trained, checked_field
from engine.document.errors import DocumentError
from engine.document.runs_section import MOST_RUNS, Runs
from engine.experiment.consistency import check_consistent
from engine.experiment.fitted import fitted_to_data
from engine.experiment.prepared import prepare
from engine.messages import quoted, visible
from engine.session_file.files import read_bytes
from engine.session_file.format import VERSION, with_data_losses, with_upgrades
from engine.session_file.saved_runs import saved_runs
from engine.session_file.strict_json import DECODER, check_size, in_words

TITLES = {
    "expression": "Program",
    "data": "Data",
    "network": "Network",
    "training": "Training settings",
    "view": "View",
    "trained": "Trained weights",
    "runs": "Recorded runs",
}
"""Sections as users know them."""
DAMAGED = "damaged"
MOST_UNKNOWN = 200
"""Unknown sections and fields that are noted: each costs a search of the text."""
LONGEST_PATH = 200
_KEY = r'"{name}"\s*:\s*'
_TEXT = re.compile(r'\s*("(?:[^"\\\x00-\x1f]|\\.)*")\s*(,?)')


@dataclass(frozen=True)
class Problem:
    """Something of a file that was left out.

    Attributes:
        path: the field, such as `training.learning_rate`; "" for the file as a whole.
        reason: in words, without the path.
        line, column: in the file, from 1; 0 where they are unknown.
    """

    path: str
    reason: str
    line: int = 0
    column: int = 0

    @property
    def place(self) -> str:
        """Path, line and column in words."""
        where = f"line {self.line:,}, column {self.column:,}" if self.line else ""
        return ", ".join(filter(None, (self.path, where)))


@dataclass(frozen=True)
class Part:
    """A section of the session as far as it was read.

    Attributes:
        title: as users know it.
        summary: what was read of it, such as "2-4-4-1, tanh"; "" for nothing.
        is_whole: nothing of it was left out.
    """

    title: str
    summary: str
    is_whole: bool


@dataclass(frozen=True)
class Salvage:
    """Readable parts of a damaged file, and its problems.

    Attributes:
        document: with defaults in place of what is missing; None when nothing of a session was found.
        version: of the file's format; None when it is unknown.
        parts: of the document.
        problems: everything that was left out, in the order of the file.
        text: the file as text; bytes that are none are shown as `\\ufffd`.
    """

    document: Document | None
    version: int | None
    parts: tuple[Part, ...]
    problems: tuple[Problem, ...]
    text: str

    @property
    def program(self) -> str:
        """The program that was read; "" for none."""
        is_read = any(part.title == TITLES["expression"] and part.summary for part in self.parts)
        return self.document.expression.text if self.document is not None and is_read else ""

    @property
    def readable(self) -> str:
        """The parts that were read, in one line."""
        return "; ".join(f"{part.title.lower()} ({part.summary})" for part in self.parts if part.summary)


def salvage_file(path: Path | str) -> Salvage:
    """Read what can be read of a file; any thread may call.

    Raises:
        OSError: when there is no such file or it may not be read.
        FileProblem: when it is not a regular file, or too large.
    """
    return salvage(read_bytes(Path(path)))


def salvage(content: bytes) -> Salvage:
    """Read what can be read of a file's content; never raises for a bad one."""
    text = content.decode("utf-8-sig", errors="replace")
    found = _Reading(text)
    try:
        content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        before = content[: error.start].decode("utf-8-sig", errors="replace")
        found.note("", f"not UTF-8 text (byte {error.start + 1:,})", len(before))
    try:
        check_size(text)
        found.content = json.loads(text)
    except json.JSONDecodeError as error:
        found.note("", _damage(error), error.pos)
    except (ValueError, RecursionError) as error:
        found.note("", "nested too deeply" if isinstance(error, RecursionError) else str(error))
        if not isinstance(error, RecursionError):
            return found.foreign()
    return found.salvage()


@dataclass
class _Reading:
    """The state of one salvage: the text, what was read, what was left out."""

    text: str
    problems: list[Problem] = field(default_factory=list)
    values: dict[str, dict[str, Any]] = field(default_factory=dict)
    places: dict[str, int] = field(default_factory=dict)
    n_unknown: int = 0
    content: Any = None

    def note(self, path: str, reason: str, place: int | None = None) -> None:
        """Note a problem, at a place in the text or at that of its field."""
        place = self.places.get(path) if place is None else place
        line = column = 0
        if place is not None:
            line = self.text.count("\n", 0, place) + 1
            column = place - self.text.rfind("\n", 0, place)
        self.problems.append(Problem(visible(path, LONGEST_PATH), reason, line, column))

    def foreign(self) -> Salvage:
        """Return the result for a file in which there is nothing of a session."""
        self.problems = [problem for problem in self.problems if not problem.reason.startswith(DAMAGED)]
        if not self.problems:
            self.note("", "not a session of this program" if self.text.strip() else "it is empty")
        return Salvage(None, None, (), tuple(self.problems), self.text)

    def salvage(self) -> Salvage:
        version = self._version()
        refused = self._refused()
        if isinstance(self.content, dict) and not refused:
            self._take_sections(self.content)
        else:
            self._read_sections()
        if version is None and len(self.values) < 2:
            return self.foreign()
        if refused and not self.problems:  # by what stands where no field is looked for
            self.note("", refused)
        if version is None and not self.problems:
            self.note("gradstep", "is missing: the number of the file's version")
        document = self._fitting(self._checked(version or VERSION))
        lines = {problem.line for problem in self.problems if problem.path}  # their fields say what is damaged there
        problems = [each for each in self.problems if each.path or each.line not in lines or each.line == 0]
        problems.sort(key=lambda problem: problem.line or len(self.text))
        broken = {problem.path.partition(".")[0] for problem in problems}
        parts = tuple(
            Part(title, visible(_summary(name, document)) if name in self.values else "", name not in broken)
            for name, title in TITLES.items()
        )
        return Salvage(document, version, parts, tuple(problems), self.text)

    def _version(self) -> int | None:
        found = re.search(_KEY.format(name="gradstep") + r"([^,}\s]{1,40})", self.text)
        if found is None:
            return None
        self.places["gradstep"] = found.start()
        number = int(found[1]) if re.fullmatch(r"[0-9]{1,9}", found[1]) else 0
        if number > VERSION:
            self.note("gradstep", f"is version {number:,}; this program knows versions up to {VERSION}")
        elif number < 1:
            self.note("gradstep", f"must be the number of a version, not {quoted(found[1])}")
        return number or None

    def _refused(self) -> str:
        """Return why the text is refused: `NaN`, a number beyond all floats, a name given twice; "" for nothing."""
        try:
            DECODER.decode(self.text)
        except (ValueError, RecursionError) as error:
            return "nested too deeply" if isinstance(error, RecursionError) else _damage(error)
        return ""

    def _take_sections(self, content: dict[str, Any]) -> None:
        """Take the known fields of a text that is JSON; other ones are problems."""
        for section, values in content.items():
            if section == "gradstep":
                continue
            if section not in SECTIONS:
                self._note_unknown(section, section, "section", 0)
                continue
            self._find(section, section, 0)
            if not isinstance(values, dict):
                self.note(section, "must be a table of fields")
            else:
                names = {item.name for item in dataclasses.fields(SECTIONS[section])}
                names |= {"activation"} if section == "network" else set()
                start = self.places.get(section, 0)
                for name in values:
                    if name in names:
                        self._find(f"{section}.{name}", name, start)
                    else:
                        self._note_unknown(f"{section}.{name}", name, "field", start)
                known = {name: value for name, value in values.items() if name in names}
                if known or not values:  # an empty section has the defaults of its version
                    self.values[section] = known

    def _note_unknown(self, path: str, name: str, kind: str, start: int) -> None:
        """Note a section or field that this version does not know."""
        if self.n_unknown < MOST_UNKNOWN:
            self.n_unknown += 1
            self._find(path, name, start)
            self.note(path, f"is not a {kind} that this version knows")

    def _find(self, path: str, name: str, start: int) -> None:
        """Note where a name stands in the text."""
        found = re.compile(_KEY.format(name=re.escape(name))).search(self.text, start)
        if found is not None:
            self.places[path] = found.start()

    def _read_sections(self) -> None:
        """Find the sections, and parse the values of their fields one by one."""
        starts = {}
        end = len(self.text)
        for name in reversed(SECTIONS):  # runs hold sections of the same names, so the last one is cut off first
            found = re.search(_KEY.format(name=name) + r"(\{?)", self.text[:end])
            if found is not None:
                starts[name] = found
                self.places[name] = found.start()
                end = found.start() if name == "runs" else end
        limits = sorted((*(found.start() for found in starts.values()), len(self.text)))
        for name, found in sorted(starts.items(), key=lambda item: item[1].start()):
            if not found[1]:
                self.note(name, "must be a table of fields")
                continue
            stop = next(limit for limit in limits if limit > found.start())
            self._read_fields(name, found.end(), stop)

    def _read_fields(self, section: str, start: int, stop: int) -> None:
        """Parse the known fields of a section that lies between two places; other ones are problems."""
        values: dict[str, Any] = {}
        names = [item.name for item in dataclasses.fields(SECTIONS[section])]
        names += ["activation"] if section == "network" else []
        place, is_lost = start, False
        while found := re.compile(r'"([a-z_0-9]{1,40})"\s*:\s*').search(self.text, place, stop):
            name, path, place = found[1], f"{section}.{found[1]}", found.end()
            if name in names and name not in values:
                self.places[path] = found.start()
            if name not in names and is_lost:
                continue  # it is inside of a value that is broken
            try:
                value, place = DECODER.raw_decode(self.text, found.end())
                if (after := self.text[place : place + 40].lstrip()[:1]) not in ("", ",", "}"):
                    raise ValueError(f"{DAMAGED}: {quoted(after)} after the value")
                is_lost = False
            except (ValueError, RecursionError) as error:
                is_lost = True
                value = self._rest_of(path, found.end()) if name in names else None
                reason = "nested too deeply" if isinstance(error, RecursionError) else _damage(error)
                self.note(path, f"{reason}{self._default(section, name)}", found.start())
                if value is None:
                    continue
            if name not in names:
                self._note_unknown(path, name, "field", found.start())
            elif name in values:
                self.note(path, "stands twice; the first one is taken", found.start())
            else:
                values[name] = value
        if values:
            self.values[section] = values

    def _rest_of(self, path: str, start: int) -> Any:
        """Return the complete entries of a list, or the beginning of a text, that cannot be parsed as a whole."""
        if path == "expression.text" and self.text.startswith("[", start):
            lines, place = [], start + 1
            while found := _TEXT.match(self.text, place):
                try:
                    lines.append(json.loads(found[1]))
                except ValueError:
                    break
                place = found.end()
                if not found[2]:
                    break
            return lines
        if path == "expression.text" and self.text.startswith('"', start):
            written = self.text[start:].split("\n", 1)[0]
            for cut in range(min(8, len(written))):
                try:
                    value = json.loads(written[: len(written) - cut] + '"')
                    return value if isinstance(value, str) else None
                except ValueError:
                    continue
        if path == "runs.kept" and self.text.startswith("[", start):
            runs, place = [], start + 1
            for _ in range(MOST_RUNS):
                place += len(self.text[place : place + 100]) - len(self.text[place : place + 100].lstrip(" \t\r\n,"))
                try:
                    run, place = DECODER.raw_decode(self.text, place)
                except (ValueError, RecursionError):
                    break
                runs.append(run)
            return runs
        return None

    def _checked(self, version: int) -> Document:
        """Return a document of the values that are allowed."""
        document = Document()
        sections = with_data_losses(self.values) if version < 4 else self.values
        for section, values in sections.items():
            try:
                values = with_upgrades(section, values, min(version, VERSION))
            except DocumentError as error:
                self.note(error.path, error.reason)
                for name in ("activation", error.path.rpartition(".")[2]):
                    values.pop(name, None)
            allowed = {}
            for name, value in values.items():
                if section == "runs" and isinstance(value, list):
                    n_entries = len(value)
                    value = [run for run in value[:MOST_RUNS] if isinstance(run, dict)]
                    if len(value) < n_entries:
                        self.note("runs.kept", f"{len(value)} of {n_entries:,} entries are runs that can be kept")
                try:
                    allowed[name] = checked_field(SECTIONS[section], section, name, value)
                except DocumentError as error:
                    self.note(f"{section}.{name}", f"{error.reason}{self._default(section, name)}")
            while allowed:
                try:
                    document = dataclasses.replace(document, **{section: SECTIONS[section](**allowed)})
                    break
                except DocumentError as error:  # fields that are allowed one by one and not together
                    name = error.path.rpartition(".")[2]
                    allowed.pop(name if name in allowed else next(iter(allowed)))
                    self.note(error.path, f"{error.reason}{self._default(section, name)}")
        return document

    @staticmethod
    def _default(section: str, name: str) -> str:
        default = getattr(SECTIONS[section](), name, None)
        if isinstance(default, bool | int | float) or (isinstance(default, str) and default and "\n" not in default):
            return f"; {quoted(default)} takes its place"
        return ""

    def _fitting(self, document: Document) -> Document:
        """Return the document with its sections made to fit together: weights go first, then what they were for."""
        runs = document.runs.kept
        read = document = dataclasses.replace(document, runs=Runs())
        steps: Iterator[Callable[[Document], Document]] = iter(
            (
                lambda kept: dataclasses.replace(kept, trained=Trained()),
                lambda kept: fitted_to_data(kept, with_features=True)[0],
                lambda kept: fitted_to_data(dataclasses.replace(kept, network=Network()), True)[0],
                lambda kept: Document(expression=kept.expression, view=kept.view),
                lambda kept: Document(expression=kept.expression),
            )
        )
        for step in chain([lambda kept: kept], steps):  # pragma: no branch - the defaults of the last one fit together
            try:
                document = step(document)
                document = self._with_defaults(document)
                check_consistent(document)
                break
            except ValueError as error:
                path, reason = (error.path, error.reason) if isinstance(error, DocumentError) else ("", str(error))
                if all(reason != problem.reason for problem in self.problems):
                    self.note(path, reason)
        self._note_changed(read, document)
        return dataclasses.replace(document, runs=Runs(self._good_runs(runs, document)))

    def _with_defaults(self, document: Document) -> Document:
        """Return the document with defaults for fields of the data that do not fit, such as an unknown data set."""
        while True:
            try:
                prepare(document.data)
                break
            except ValueError as error:
                known = isinstance(error, DocumentError) and error.path.startswith("data.")
                path, reason = (error.path, error.reason) if isinstance(error, DocumentError) else ("", str(error))
                by_source = "name" if document.data.source == "generator" else "source"
                name = path.removeprefix("data.") if known else by_source
                default: Any = getattr(Data(), name)
                if getattr(document.data, name) == default:
                    break
                self.note(f"data.{name}", f"{reason}{self._default('data', name)}")
                document = dataclasses.replace(document, data=dataclasses.replace(document.data, **{name: default}))
        return document

    def _good_runs(self, runs: Sequence[str], document: Document) -> tuple[str, ...]:
        """Return those recorded runs that can be opened; others are problems."""
        good: list[str] = []
        newest = 0
        for place, text in enumerate(runs, start=1):
            try:
                (run,) = saved_runs(dataclasses.replace(document, runs=Runs((text,))))
                if run.number <= newest:
                    raise DocumentError("runs.kept.1.number", "must be larger than that of the run before")
                newest = run.number
                good.append(text)
            except ValueError as error:
                path = error.path if isinstance(error, DocumentError) else ""
                reason = error.reason if isinstance(error, DocumentError) else str(error)
                self.note(f"runs.kept.{place}{path.removeprefix('runs.kept.1')}", reason, self._place_of_run(place))
        return tuple(good)

    def _place_of_run(self, number: int) -> int | None:
        """Return where a recorded run begins in the text, where each has a line of its own."""
        place = self.places.get("runs.kept")
        for _ in range(number):
            place = None if place is None else self.text.find("\n", place) + 1 or None
        return place

    def _note_changed(self, read: Document, fitting: Document) -> None:
        """Note the sections that had to be changed to fit the others."""
        noted = {problem.path.partition(".")[0] for problem in self.problems}
        for name, title in TITLES.items():
            if getattr(read, name) != getattr(fitting, name) and name not in noted:
                is_default = getattr(fitting, name) == getattr(Document(), name)
                way = "left out" if is_default else "adjusted"
                self.note(name, f"{title} {way}, to fit what was read of the rest")


def _damage(error: Exception) -> str:
    """Return what is wrong with the JSON, in the words of the standard library unless the file is cut off."""
    if not isinstance(error, json.JSONDecodeError):
        return str(error)
    is_cut_off = error.msg.startswith("Unterminated string") or error.pos >= len(error.doc.rstrip()) - 1
    return f"{DAMAGED}: {'the file ends in the middle of it' if is_cut_off else in_words(error)}"


def _summary(name: str, document: Document) -> str:
    """Return what a section holds, in a few words."""
    network, trained = document.network, document.trained
    if name == "expression":
        return counted(len(document.expression.text.splitlines()), "line")
    if name == "data":
        return {"generator": document.data.name, "formula": document.data.formula}.get(
            document.data.source, f"{document.data.source} {document.data.table_name}".strip()
        )
    if name == "network":
        return "-".join(map(str, network.layer_sizes)) + (f", {network.activations[0]}" if network.activations else "")
    if name == "training":
        return f"{document.training.optimizer}, learning rate {document.training.learning_rate:g}"
    if name == "view":
        return document.view.shows
    if name == "trained":
        if not len(trained.parameters):
            return "none" if trained == Trained() else ""
        return f"step {trained.step:,}, {counted(len(trained.parameters), 'number')}"
    return counted(len(document.runs.kept), "run")
