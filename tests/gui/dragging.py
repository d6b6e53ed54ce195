"""Values dragged on the canvas, for tests."""


def drag(panel, key, dx, dy):
    """Drags a value as the canvas does it."""
    canvas = panel.canvas
    centre = canvas.centre_of(key)
    canvas.drag_node(key, centre.x() + dx, centre.y() + dy)
    canvas.finish_drag(key)


def off(panel, session, key):
    """How far a value is drawn from where the layout has it."""
    box, home = panel.canvas.picture.boxes[key], session.presenter.placement.laid_out.boxes[key]
    return box.x - home.x, box.y - home.y
