"""`display`, which prints, and `clear_output`, which does nothing."""


def display(*things, **_keywords):
    """Print each thing on a line of its own."""
    for thing in things:
        print(thing if isinstance(thing, str) else repr(thing))


def clear_output(*_arguments, **_keywords):
    """Do nothing."""
