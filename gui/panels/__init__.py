"""The panels around the canvas: each shows a part of the session and sends what the user does back to it."""
