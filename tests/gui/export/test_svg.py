import xml.etree.ElementTree as ElementTree

from gui.export.svg import finished, with_settled_lines

SVG = """<svg viewBox="0 0 100 100" xmlns="http://www.w3.org/2000/svg">
<g fill="none" fill-rule="evenodd" >
<g fill="none" transform="matrix(1,0,0,1,0,0)"
font-family="Serif" font-size="12" font-weight="400" font-style="normal"
>
<path vector-effect="none" fill-rule="evenodd" d="M1,2 L3,4 "/>
<text font-family="Serif" font-size="8" font-weight="400" font-style="normal">a fill-rule=&quot;evenodd&quot;</text>
</g>
<g stroke="red" transform="matrix(10,0,0,-20,5,90)">
<path vector-effect="non-scaling-stroke" d="M0,0 L1,2 L-1.5e0,0.5 "/>
</g>
<g stroke="blue" transform="matrix(2,0,0,2,0,0)">
<text x="1" y="2">label</text>
</g>
</g>
</svg>"""
NAMESPACE = "{http://www.w3.org/2000/svg}"


def of_svg(svg=SVG, measure=lambda *_text: 12.5, families=()):
    return finished([svg.encode()], measure, dict(families)).decode()


def test_what_says_nothing_is_dropped_and_texts_stay_as_they_are():
    slim = of_svg()
    root = ElementTree.fromstring(slim)
    assert slim.count("font-family") == 1 and "matrix(1,0,0,1,0,0)" not in slim and 'vector-effect="none"' not in slim
    assert slim.count(' fill-rule="evenodd"') == 1
    assert next(root.iter(f"{NAMESPACE}text")).text == 'a fill-rule="evenodd"'


def test_families_get_a_fallback():
    families = {"Serif": "'Free Serif', serif", "Absent": "monospace"}
    for width in (0.0, 12.5):
        text = of_svg(measure=lambda *_text, width=width: width, families=families)
        assert next(ElementTree.fromstring(text).iter(f"{NAMESPACE}text")).get("font-family") == "'Free Serif', serif"


def test_each_text_says_how_wide_it_is():
    asked = []

    def measure(*text):
        asked.append(text)
        return 12.5

    root = ElementTree.fromstring(of_svg(measure=measure))
    text = next(root.iter(f"{NAMESPACE}text"))
    assert asked == [('a fill-rule="evenodd"', "Serif", 8.0, False, False)]
    assert text.get("textLength") == "12.5" and text.get("lengthAdjust") == "spacingAndGlyphs"
    assert text.text == 'a fill-rule="evenodd"'


def test_scaled_lines_are_put_into_the_pages_coordinates_and_clipped():
    root = ElementTree.fromstring(with_settled_lines(SVG, {(0, 0, 100, 100): (5, 10, 80, 70)}))
    red = next(group for group in root.iter(f"{NAMESPACE}g") if group.get("stroke") == "red")
    assert "transform" not in red.attrib
    assert red[0].get("d").split() == ["M5,90", "L15,50", "L-10,80"] and "vector-effect" not in red[0].attrib
    clips = [group for group in root.iter(f"{NAMESPACE}g") if group.get("clip-path") == "url(#window0)"]
    assert len(clips) == 2
    assert root.find(f"{NAMESPACE}clipPath")[0].attrib == {"x": "5", "y": "10", "width": "80", "height": "70"}


def test_curves_are_clipped_to_the_plot_whose_background_comes_before_them():
    line = '<g transform="matrix(2,0,0,2,0,0)"><path vector-effect="non-scaling-stroke" d="M0,0 L9,9"/></g>'
    first, second = (
        '<g><rect x="0" y="0" width="50" height="40"/></g>',
        '<g><rect x="50" y="0" width="50" height="40"/></g>',
    )
    text = f'<svg xmlns="http://www.w3.org/2000/svg"><g>{first}{line}{second}{line}</g></svg>'
    windows = {(0.0, 0.0, 50.0, 40.0): (5.0, 5.0, 40.0, 30.0), (50.0, 0.0, 50.0, 40.0): (55.0, 5.0, 40.0, 30.0)}
    root = ElementTree.fromstring(with_settled_lines(text, windows))
    clips = [group.get("clip-path") for group in root.iter(f"{NAMESPACE}g") if group.get("clip-path")]
    assert clips == ["url(#window0)", "url(#window1)"]
    assert [clip[0].get("x") for clip in root.iter(f"{NAMESPACE}clipPath")] == ["5", "55"]


def test_a_group_with_more_than_lines_keeps_its_matrix():
    root = ElementTree.fromstring(with_settled_lines(SVG, {(0, 0, 1, 1): (0, 0, 1, 1)}))
    blue = next(group for group in root.iter(f"{NAMESPACE}g") if group.get("stroke") == "blue")
    assert blue.get("transform") == "matrix(2,0,0,2,0,0)"


def test_going_from_group_to_group_gives_the_same_as_all_at_once():
    families = {"Serif": "'Free Serif', serif"}
    one = SVG.replace(">label<", ">∂label<")
    several = one.replace("</g>\n<g", "</g>\n\n<g")
    assert several.count("</g>\n\n") == 2 and "</g>\n\n" not in one
    assert of_svg(several, families=families) == of_svg(one, families=families)
