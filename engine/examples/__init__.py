"""The programs of File > Examples, and the published figures of the gallery."""
