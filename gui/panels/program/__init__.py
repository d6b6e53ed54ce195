"""Program panel: editor, sliders and output."""
