"""matplotlib for programs in the sandbox: `pyplot` records plots, and the window draws them."""

__version__ = "3.10"


def use(*_arguments, **_keywords):
    """Do nothing: the window draws."""


class _Settings(dict):
    def update(self, *_arguments, **_keywords):
        """Do nothing: the window has its own style."""


rcParams = _Settings()
