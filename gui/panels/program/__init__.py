"""What one types and what the program says: editor, sliders, output."""
