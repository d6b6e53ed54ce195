"""Menus as tests look at them. QAction.menu() is not asked: PySide6 6.9 and 6.10 delete what it gave."""

from PySide6.QtWidgets import QMenu


def menu_of(action, around):
    """The menu that an entry opens, in the menu, the menu bar or the window around it; None for none."""
    return next((menu for menu in around.findChildren(QMenu) if menu.menuAction() is action), None)


def entries(menu):
    """The entries of a menu and of the menus in it, filled as when they are opened; lines between them left out."""
    menu.aboutToShow.emit()
    for action in menu.actions():
        inner = menu_of(action, menu)
        yield from entries(inner) if inner is not None else () if action.isSeparator() else (action,)


def entry(menu, text):
    """The entry of that text in a menu or in one inside it; None for none."""
    for action in menu.actions():
        if action.text().replace("&", "") == text:
            return action
        inner = menu_of(action, menu)
        if inner is not None and (found := entry(inner, text)) is not None:
            return found
    return None


def submenus(menu):
    """The menus right inside a menu."""
    found = (menu_of(action, menu) for action in menu.actions())
    return [inner for inner in found if inner is not None]
