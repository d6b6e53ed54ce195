"""Every action of the program: what menus, buttons, context menus, keys and the page of shortcuts read."""
