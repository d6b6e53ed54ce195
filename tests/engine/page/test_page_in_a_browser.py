"""The stepper page in a real browser: its script runs under its policy, and shows the step that the address names."""

import re
import shutil
import subprocess

import pypdfium2
import pytest

from engine.document import View
from engine.language import evaluate
from engine.page import stepper_page
from engine.views.graph_view import show_expression
from engine.views.shown_walk import ShownWalk
from tests.engine.page.test_page import HOSTILE, Page, at, graph_of

BROWSERS = "chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "microsoft-edge"
BROWSER = next(filter(None, map(shutil.which, BROWSERS)), None)
OPTIONS = (
    "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
    "--disable-background-networking", "--disable-component-update", "--disable-sync",
)  # fmt: skip
NEURON = "x = Value(2.0)\nw = Value(-3.0)\nb = Value(6.7)\nn = x*w + b\no = n.tanh()\no.backward()\n"

pytestmark = [pytest.mark.long, pytest.mark.skipif(BROWSER is None, reason="no browser is installed")]


@pytest.fixture
def opened(tmp_path):
    """Return the document that a browser has made of a page, at an address with a fragment."""

    def open_page(html, fragment="", extra=""):
        path = tmp_path / "page.html"
        path.write_text(html.replace("</body>", f"{extra}</body>"), encoding="utf-8")
        command = [
            BROWSER,
            *OPTIONS,
            f"--user-data-dir={tmp_path / 'profile'}",
            "--dump-dom",
            f"{path.as_uri()}{fragment}",
        ]
        return subprocess.run(command, capture_output=True, text=True, timeout=60, check=True).stdout

    return open_page


def numbers_in(dom):
    """Data and grad of each box of the first drawing, by its id."""
    drawing = re.search(r'<svg class="graph".*?</svg>', dom, re.DOTALL)[0]
    boxes = re.findall(r'<g class="box[^>]*data-id="(\w+)"(.*?)<g class="mark"', drawing, re.DOTALL)
    return {id_: re.findall(r'<text class="number"[^>]*>([^<]*)<', box) for id_, box in boxes}


def test_the_page_shows_the_step_that_its_address_names(opened):
    html = stepper_page(ShownWalk(show_expression(evaluate(NEURON)), learning_rate=None), View(), NEURON)
    data = Page(html).data
    last = len(data["steps"]) - 1
    for fragment, position in (("", 0), ("#step=2", 2), ("#step=7", 7), ("#step=end", last), ("#step=99999", last)):
        dom = opened(html, fragment)
        assert f'data-step="{position}"' in dom.split("<head>")[0]
        assert data["steps"][position][3] in Page(dom).text
        for id_, (shown_data, shown_grad) in numbers_in(dom).items():
            expected = at(data["boxes"][id_], position)
            assert (shown_data, shown_grad) == (expected[0], expected[2])
        touched = set(re.findall(r'class="(?:box|op|edge)[^"]* touched"[^>]*? data-id="(\w+)"', dom))
        assert touched == set(data["steps"][position][5])


def test_hostile_labels_do_nothing_in_a_browser(opened):
    for label in HOSTILE:
        dom = opened(stepper_page(graph_of(label), View(), label), "#step=3")
        assert 'data-step="3"' in dom.split("<head>")[0]
        assert not [tag for tag, _attributes in Page(dom).elements if tag == "img"]


def test_the_policy_stops_any_other_script(opened):
    html = stepper_page(graph_of("y"), View())
    other = "<script>document.documentElement.dataset.other = 1</script>"
    assert 'data-other="1"' not in opened(html, extra=other)
    allowed = re.sub(r'<meta http-equiv="Content-Security-Policy"[^>]*>', "", html)
    assert 'data-other="1"' in opened(allowed, extra=other)


def test_buttons_and_keys_step_forward_and_back(opened):
    html = stepper_page(ShownWalk(show_expression(evaluate(NEURON)), learning_rate=None), View(), NEURON)
    tried = re.sub(r'<meta http-equiv="Content-Security-Policy"[^>]*>', "", html)
    last = len(Page(html).data["steps"]) - 1

    def after(script):
        key = "const key = (key) => document.body.dispatchEvent(new KeyboardEvent('keydown', {key, bubbles: true}));"
        click = "const click = (name) => document.querySelector(`button.${name}`).click();"
        dom = opened(tried, extra=f"<script>{{{key}{click}{script}}}</script>")
        return int(re.search(r'data-step="(\d+)"', dom)[1])

    assert after("click('next'); click('next'); click('back')") == 1
    assert after("key('ArrowRight'); key('ArrowRight'); key('ArrowRight'); key('ArrowLeft')") == 2
    assert after("key('End'); key('ArrowRight')") == last
    assert after("key('End'); key('Home'); click('back')") == 0


def test_a_printed_page_has_the_final_numbers(tmp_path):
    path, printed = tmp_path / "page.html", tmp_path / "page.pdf"
    path.write_text(stepper_page(ShownWalk(show_expression(evaluate(NEURON)), learning_rate=None), View(), NEURON))
    profile = f"--user-data-dir={tmp_path / 'profile'}"
    command = [BROWSER, *OPTIONS, profile, f"--print-to-pdf={printed}", f"{path.as_uri()}#step=2"]
    subprocess.run(command, capture_output=True, timeout=60, check=True)
    document = pypdfium2.PdfDocument(printed)
    text = document[0].get_textpage().get_text_bounded()
    assert len(document) == 1 and "All data and gradients are computed." in text and "Back" not in text
    document.close()
