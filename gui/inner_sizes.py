"""Widths of columns, sort orders and splitters inside panels, as the user has left them, kept over starts.

A table is known by its accessible name and a `Splitter` by its object name, which are unique in their panel. Each panel
has one setting, a JSON text. What is damaged there, or was made for other columns, is ignored.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from PySide6.QtCore import QSettings, Qt
from PySide6.QtWidgets import QHeaderView, QTableView, QTreeView, QWidget

from gui.panels.frame import PanelDock
from gui.unexpected import contained
from gui.widgets.column_widths import Choices, ColumnWidths
from gui.widgets.splitter import Splitter

SETTING = "inner sizes/{panel}"
HORIZONTAL, VERTICAL = Qt.Orientation.Horizontal, Qt.Orientation.Vertical
ORIENTATIONS = {"horizontal": HORIZONTAL, "vertical": VERTICAL}
ORDERS = {"ascending": Qt.SortOrder.AscendingOrder, "descending": Qt.SortOrder.DescendingOrder}


class InnerSizes:
    """Follows the tables and splitters of every panel from when it is made."""

    def __init__(self, docks: Mapping[str, PanelDock]) -> None:
        self._docks = docks
        self._kept: dict[str, str] = {}
        self._columns: dict[str, dict[str, ColumnWidths]] = {}
        self._splitters: dict[str, dict[str, Splitter]] = {}
        for name, dock in docks.items():
            dock.panel_made.connect(lambda panel, name=name: self._follow(name, panel))

    def restore(self, settings: QSettings) -> None:
        """Read the settings; panels that are not made yet take theirs when they are."""
        for name in self._docks:
            kept = settings.value(SETTING.format(panel=name))
            if isinstance(kept, str):
                self._kept[name] = kept
        for name in self._columns:
            self._restore_panel(name)

    def remember(self, settings: QSettings) -> None:
        """Write down what the user has changed, in this window or before."""
        for name in self._columns:
            self._kept[name] = self._text(name)
        for name in self._docks:
            key = SETTING.format(panel=name)
            if self._kept.get(name):
                settings.setValue(key, self._kept[name])
            else:
                settings.remove(key)

    def reset(self) -> None:
        """Give everything back the sizes and the order that it has by itself."""
        self._kept.clear()
        for name in self._columns:
            parts: list[ColumnWidths | Splitter] = [*self._columns[name].values(), *self._splitters[name].values()]
            for part in parts:
                with contained():
                    part.reset()

    def _follow(self, name: str, panel: QWidget) -> None:
        with contained(panel):
            views: list[QTableView | QTreeView] = [*panel.findChildren(QTableView), *panel.findChildren(QTreeView)]
            headers = {view.accessibleName(): _header(view) for view in views if view.accessibleName()}
            self._columns[name] = {part: ColumnWidths(each) for part, each in headers.items() if not each.isHidden()}
            self._splitters[name] = {each.objectName(): each for each in panel.findChildren(Splitter)}
            self._restore_panel(name)

    def _restore_panel(self, name: str) -> None:
        found = parsed(self._kept.get(name, ""))
        for part, columns in self._columns[name].items():
            if part in found.columns:
                columns.restore(*found.columns[part])
        for part, splitter in self._splitters[name].items():
            if part in found.splitters:
                splitter.shares = found.splitters[part]
                splitter.apply()

    def _text(self, name: str) -> str:
        """Return the setting of a panel; "" where the user has changed nothing."""
        tables: dict[str, Any] = {}
        for part, columns in self._columns[name].items():
            n_columns, widths, sorting = columns.chosen
            if widths or sorting:
                tables[part] = {"columns": n_columns, "widths": {str(key): round(widths[key], 1) for key in widths}}
            if sorting:
                order = next(word for word, order in ORDERS.items() if order == sorting[1])
                tables[part]["sorting"] = [sorting[0], order]
        splitters = {
            part: {
                word: [round(share, 4) for share in splitter.shares[orientation]]
                for word, orientation in ORIENTATIONS.items()
                if orientation in splitter.shares
            }
            for part, splitter in self._splitters[name].items()
            if splitter.shares
        }
        return json.dumps({"tables": tables, "splitters": splitters}) if tables or splitters else ""


@dataclass(frozen=True)
class Found:
    """Choices for the tables and splitters of one panel.

    Attributes:
        columns: by table, see `ColumnWidths.restore`.
        splitters: by splitter, see `Splitter.shares`.
    """

    columns: dict[str, Choices] = field(default_factory=dict)
    splitters: dict[str, dict[Qt.Orientation, list[float]]] = field(default_factory=dict)


def parsed(text: str) -> Found:
    """Return the choices in a setting; none where it is empty or damaged."""
    try:
        read = json.loads(text)
        columns: dict[str, Choices] = {}
        for name, table in read["tables"].items():
            widths = {int(key): float(width) for key, width in table["widths"].items()}
            sorting = table.get("sorting")
            columns[name] = int(table["columns"]), widths, (int(sorting[0]), ORDERS[sorting[1]]) if sorting else None
        splitters = {
            name: {ORIENTATIONS[word]: [float(share) for share in shares] for word, shares in kept.items()}
            for name, kept in read["splitters"].items()
        }
        every_share = [shares for kept in splitters.values() for shares in kept.values()]
        if not all(min(shares) >= 0 and math.isclose(sum(shares), 1, abs_tol=0.01) for shares in every_share):
            return Found()
    except (ValueError, TypeError, KeyError, IndexError, AttributeError, OverflowError):
        return Found()
    return Found(columns, splitters)


def _header(view: QTableView | QTreeView) -> QHeaderView:
    return view.header() if isinstance(view, QTreeView) else view.horizontalHeader()
