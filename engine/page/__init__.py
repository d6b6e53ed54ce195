"""A computation graph as one self-contained HTML page with Next and Back.

`steps.py` makes the steps with their texts and numbers, `drawing.py` the picture as SVG, `page.py` puts both into the
template in `resources/page`. A page loads nothing, and its policy allows no script but its own.
"""

from engine.page.page import MOST_BOXES, MOST_STEPS, PageError, page_of_document, stepper_page

__all__ = ["MOST_BOXES", "MOST_STEPS", "PageError", "page_of_document", "stepper_page"]
