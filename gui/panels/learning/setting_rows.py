"""The numbers that the chosen optimizer or schedule takes besides the learning rate: a row for each, from its table.

A setting that several entries share ("eps") has one row; the rows that the present entry does not have are hidden.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QFormLayout

from engine.document.document import SETTINGS_OF
from engine.network import Setting
from gui.fields.binding import EntryField, FieldBinding, FormRow, add_row, number_field
from gui.session import Session


@dataclass(frozen=True)
class SettingBinding(FieldBinding):
    """Binding of a widget to one number of the table `optimizer_settings` or `schedule_settings`.

    Attributes:
        kind: "optimizer" or "schedule".
        key: which of its numbers.
    """

    kind: str
    key: str

    @property
    def entry(self) -> Setting | None:
        """The setting's default and range; None when the present optimizer or schedule does not have it."""
        chosen = getattr(self.session.document.training, self.kind)
        entry: Setting | None = SETTINGS_OF[self.kind][chosen].settings_table.get(self.key)
        return entry

    @property
    def value(self) -> Any:
        entry = self.entry
        return dict(super().value).get(self.key, entry.default if entry is not None else 0.0)

    def problem(self, value: Any) -> str:
        """Return the reason why the document refuses `value`; empty for an allowed value."""
        chosen = getattr(self.session.document.training, self.kind)
        return super().problem(value).removeprefix(f"{self.key} of {chosen} ")

    def field_with(self, value: Any) -> dict[str, Any]:
        """The table with `value` for this number."""
        return dict(super().value) | {self.key: value}


class SettingRows(QObject):
    """The rows of one kind in a form.

    Attributes:
        fields: by name of the setting.
    """

    def __init__(self, session: Session, form: QFormLayout, kind: str) -> None:
        """Add a row for every setting that an optimizer (or schedule) has.

        Args:
            session: whose document.
            form: gets the rows at its end.
            kind: "optimizer" or "schedule".
        """
        super().__init__(form)
        self._form = form
        self.fields: dict[str, EntryField] = {}
        self._rows: dict[str, tuple[SettingBinding, FormRow]] = {}
        longest_first = sorted(SETTINGS_OF[kind].values(), key=lambda entry: -len(entry.settings_table))
        for entry in longest_first:
            for key, setting in entry.settings_table.items():
                if key not in self.fields:
                    label = f"{key} of the {kind}"
                    self._add(SettingBinding(session, "training", f"{kind}_settings", label, kind, key), setting)
        self.show_chosen()

    def _add(self, binding: SettingBinding, setting: Setting) -> None:
        field = number_field(binding, setting.description)
        self.fields[binding.key] = field
        title = setting.title or binding.key.replace("_", " ")
        self._rows[binding.key] = binding, add_row(self._form, title, field)

    def show_chosen(self) -> None:
        """Show the rows that the present optimizer (or schedule) has."""
        for binding, row in self._rows.values():
            self._form.setRowVisible(row, binding.entry is not None)
