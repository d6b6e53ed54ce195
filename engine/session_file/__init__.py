"""Reading and writing of session files: their format and its versions, files that are never lost, sessions as text."""

from engine.session_file.format import from_json, to_json

__all__ = ["from_json", "to_json"]
