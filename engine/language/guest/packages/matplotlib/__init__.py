"""matplotlib as programs here have it: `pyplot` notes what is plotted, and the window draws it."""

__version__ = "3.10"


def use(*_arguments, **_keywords):
    """Do nothing: the window draws."""


class _Settings(dict):
    def update(self, *_arguments, **_keywords):
        """Do nothing: the window has its own style."""


rcParams = _Settings()
