"""`lessons list`, `check` and `print`: what a teacher gets without a window, of good lessons and of bad files."""

import os
import re
from html.parser import HTMLParser
from pathlib import Path

import pytest
from pypdfium2 import PdfDocument

from engine.lessons import read_lesson
from engine.lessons.lesson_file import LARGEST_FILE, MOST_LESSONS, OWN_LESSONS
from main import main
from tests.engine.lessons.lesson_texts import LESSON


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("course").mkdir()
    return Path("course")


def said(capsys, *arguments):
    """Return the exit code, the lines on standard output, and those on standard error."""
    try:
        code = main(["lessons", *map(str, arguments)])
    except SystemExit as stop:
        code = stop.code
    out = capsys.readouterr()
    return code, out.out.splitlines(), out.err.splitlines()


def write(path, text):
    path.write_text(text, encoding="utf-8")
    return path


# list


def test_the_lessons_of_gradstep_are_listed_with_number_and_minutes(capsys):
    code, lines, errors = said(capsys, "list")
    assert code == 0 and not errors
    assert len(lines) == len(list(OWN_LESSONS.glob("*.md")))
    first = read_lesson(min(OWN_LESSONS.glob("*.md")))
    assert re.match(rf" *1 +{re.escape(first.title)} +{first.minutes} min +{re.escape(first.summary)}", lines[0])


def test_a_folder_is_listed_in_order_and_its_bad_files_are_named(folder, capsys):
    write(folder / "a.md", LESSON)
    write(folder / "b.md", LESSON.replace("order = 6", "order = 1").replace("A value used twice", "First"))
    write(folder / "c.md", "no lesson")
    code, lines, errors = said(capsys, "list", folder)
    assert code == 1
    assert ["First" in lines[0], "A value used twice" in lines[1], len(lines)] == [True, True, 2]
    assert len(errors) == 1 and "c.md, line 1" in errors[0]


# check


def test_a_good_folder_has_its_counts_and_no_error(folder, capsys):
    write(folder / "a.md", LESSON)
    assert said(capsys, "check", folder) == (0, ["1 lesson, 4 steps, 3 goals, 0 errors"], [])


def line_of(text, part):
    return text[: text.index(part)].count("\n") + 1


def test_every_error_of_every_file_is_named_with_its_line(folder, capsys):
    text = LESSON.replace("minutes = 5", "minuets = 5").replace('node = "a"\nis', 'nod = "a"\nis')
    text = text.replace("Two edges leave", "<b>Two</b> edges leave").replace(
        "How many edges", "See http://e.x: how many"
    )
    path = write(folder / "a.md", text)
    other = write(folder / "b.md", LESSON.replace('answer = "Both edges', 'answers = "Both edges'))
    code, lines, _ = said(capsys, "check", path, other)
    assert code == 1
    wrong = [line_of(text, part) for part in ("minuets", "<b>", "http:", 'nod = "a"')]
    assert [line.split(": ")[0] for line in lines[:-1]] == [
        *(f"{path}:{number}" for number in wrong),
        f"{other}:{line_of(other.read_text(), 'answers')}",
    ]
    assert lines[-1].endswith("5 errors")


@pytest.mark.parametrize(
    ("old", "new", "at", "words"),
    [
        ('node = "a"\nwrong', 'node = "aa"\nwrong', 'node = "aa"', "no node 'aa', did you mean 'a'?"),
        ('node = "a"\nis', 'node = "x_1"\nis', 'node = "x_1"', "no node 'x_1'"),
        ("{a.grad}", "{aa.grad}", "{aa.grad}", "did you mean 'a'?"),
        ("predict = { a = 2.0 }", "predict = { aa = 2.0 }", "predict =", "node 'aa', did you mean 'a'?"),
        ("sliders = { a", "sliders = { ab", "sliders =", "did you mean 'a'?"),
        ('find = "a + a"', 'find = "a - a"', "edit =", "0 times"),
        ("predict = { a = 2.0 }", 'walk_to = "bakward"', "walk_to", "did you mean 'backward'?"),
        ("predict = { a = 2.0 }", "predict = { a = 2.5 }", "```solution", "does not meet the goal"),
        ("sliders = { a = 4.0 }", 'edit = { find = "a + a", replace = "a + 2*a" }', "```mistake", "meets the goal"),
        ("is = 3", "is = 2", 'goal\nkind = "gradient"', "before the learner"),
        ("is = 1.0, says", "is = 2.0, says", "wrong =", "meets the goal"),
        ("b = a + a\n", "b = a +\n", "```goal", "stops with an error"),
    ],
)  # fmt: skip
def test_what_does_not_work_when_it_is_played_is_named_at_its_line(folder, capsys, old, new, at, words):
    text = LESSON.replace(old, new, 1)
    path = write(folder / "a.md", text)
    code, lines, _ = said(capsys, "check", path)
    assert code == 1
    about = [line for line in lines if words in line]
    assert about and about[0].startswith(f"{path}:"), lines
    if "stops" not in words:
        assert f"{path}:{line_of(text, at)}:" in about[0], lines


def test_the_lessons_of_gradstep_pass(capsys):
    code, lines, _ = said(capsys, "check", OWN_LESSONS / "06_why_plus_equals.md")
    assert (code, len(lines)) == (0, 1)


BAD = {
    "empty": "",
    "a page": "# Title\n\nText.\n",
    "cut in the settings": LESSON[:60],
    "cut in a block": LESSON[: LESSON.index("edit =") + 10],
    "binary": b"\x89PNG\r\n\x1a\n\xff\x00",
    "UTF-16": LESSON.encode("utf-16"),
    "NUL": LESSON.replace("Two", "T\0wo"),
    "control characters": LESSON.replace("Two", "\x1b[2J"),
    "10 MB": LESSON + "x" * 10_000_000,
    "too long": LESSON + "\nx" * LARGEST_FILE,
    "wrong type": LESSON.replace("minutes = 5", 'minutes = "five"'),
    "a date": LESSON.replace("minutes = 5", "minutes = 2020-01-01"),
    "TOML nested in itself": LESSON.replace("minutes = 5", "minutes = " + "[" * 5000 + "]" * 5000),
    "tables nested in themselves": LESSON.replace("minutes = 5", "minutes = " + "{a=" * 3000 + "1" + "}" * 3000),
    "a key of 50,000 parts": LESSON.replace("minutes = 5", "a." * 50_000 + "a = 5"),
    "a table of 50,000 parts": LESSON.replace("[training]", "[training." + "a." * 50_000 + "a]"),
    "a number of 5,000 digits": LESSON.replace("minutes = 5", "minutes = " + "9" * 5000),
    "a number of 5,000 digits in an action": LESSON.replace("a = 4.0", "a = " + "9" * 5000),
    "the name of an argument": LESSON.replace("learning_rate = 0.1", "section = 1"),
    "an unknown section": LESSON.replace("[training]", "[trained]"),
    "200,000 backticks": LESSON.replace("Two", "`" * 150_000 + "a"),
    "runs of backticks": LESSON.replace("Two", " ".join("`" * (1 + n % 400) for n in range(700))),
    "brackets": LESSON.replace("Two", "](" * 70_000),
    "braces": LESSON.replace("Two", "{a." * 60_000),
    "a long word": LESSON.replace("Two", "a" * 180_000),
    "list 1,000 deep": LESSON.replace("Two", "\n".join("  " * n + "- x" for n in range(300))),
    "quote 1,000 deep": LESSON.replace("Two", "\n" + ">" * 1000 + " x"),
    "script": LESSON.replace("Two", "<script>alert(1)</script>"),
    "picture": LESSON.replace("Two", "![x](https://e.x/y.png)"),
    "javascript": LESSON.replace("Two", "[x](javascript:alert(1))"),
    "autolink": LESSON.replace("Two", "<http://e.x>"),
    "address": LESSON.replace("Two", "http://e.x"),
    "entity": LESSON.replace("Two", "&lt;script&gt;"),
    "HTML in a title": LESSON.replace('title = "A value', 'title = "<img src=x> A value'),
    "HTML in a heading": LESSON.replace("## Predict", "## <img src=x>"),
    "HTML in feedback": LESSON.replace("One edge brings 1.", "<img src=x>"),
    "HTML in a choice": LESSON.replace('text = "They do not"', 'text = "<b>They</b> do not"'),
    "41 steps": LESSON + "\n## Step\n" * 41,
    "a goal without end": LESSON + "\n```goal\n",
}


@pytest.mark.parametrize("kind", BAD)
def test_a_bad_file_is_one_line_and_nothing_else(folder, capsys, kind):
    content = BAD[kind]
    (folder / "bad.md").write_bytes(content if isinstance(content, bytes) else content.encode())
    code, lines, errors = said(capsys, "check", folder)
    assert (code, errors) == (1, [])
    assert len(lines) == 2, lines
    assert re.match(rf"{folder}/bad\.md:\d+: ", lines[0]) and lines[0].isprintable() and len(lines[0]) < 700
    assert lines[1] in ("1 lesson, 0 steps, 0 goals, 1 error",)
    code, lines, errors = said(capsys, "list", folder)
    assert (code, lines, len(errors)) == (1, [], 1)
    code, lines, errors = said(capsys, "print", folder / "bad.md", "-o", "out.html")
    assert (code, lines, len(errors)) == (2, [], 1)
    assert not Path("out.html").exists()


@pytest.mark.skipif(os.name != "posix", reason="pipes, devices and links of POSIX")
def test_pipes_devices_and_links_in_a_folder_are_not_waited_for(folder, capsys):
    os.mkfifo(folder / "pipe.md")
    (folder / "zero.md").symlink_to("/dev/zero")
    (folder / "passwd.md").symlink_to("/etc/passwd")
    (folder / "round.md").symlink_to("round.md")
    (folder / "gone.md").symlink_to("nowhere")
    (folder / "folder.md").mkdir()
    code, lines, errors = said(capsys, "check", folder)
    assert (code, errors, len(lines)) == (1, [], 7)
    assert lines[-1] == "6 lessons, 0 steps, 0 goals, 6 errors"
    assert all(re.match(rf"{folder}/\w+\.md:1: ", line) for line in lines[:-1])
    assert "root" not in " ".join(lines), "nothing of the file is shown"


def test_a_folder_of_5000_files_is_one_line(folder, capsys):
    for number in range(5000):
        (folder / f"{number}.md").touch()
    code, lines, errors = said(capsys, "check", folder)
    assert (code, lines, len(errors)) == (2, [], 1)
    assert str(MOST_LESSONS) in errors[0]


@pytest.mark.parametrize("command", ["list", "check"])
def test_a_folder_without_lessons_is_wrong_use(folder, capsys, command):
    assert said(capsys, command, folder)[0] == 2
    code, lines, errors = said(capsys, command, "missing")
    assert (code, lines, len(errors)) == (2, [], 1)
    assert "missing" in errors[0]


# print


class Page(HTMLParser):
    """Tags, sources and text of a page; fails on tags that are not closed in order."""

    def __init__(self, text):
        super().__init__()
        self.open, self.tags, self.sources, self.text = [], set(), [], ""
        self.feed(text)
        assert self.open == []

    def handle_starttag(self, tag, attributes):
        self.tags.add(tag)
        assert not any(name.startswith("on") or name == "href" for name, _ in attributes)
        self.sources += [value for name, value in attributes if name == "src"]
        if tag not in ("meta", "img", "br", "hr"):
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        if "style" not in self.open:
            self.text += data


@pytest.mark.slow
def test_a_printed_page_holds_everything_and_leads_nowhere(folder, capsys, qapp):
    text = LESSON.replace("Both edges move", "Both `x < y` & edges move").replace(
        "b = a + a\n", 'b = a + a  # <i>"&amp;\n'
    )
    path = write(folder / "a.md", text)
    assert said(capsys, "print", path, "-o", "plain.html")[:2] == (0, ["wrote plain.html"])
    said(capsys, "print", path, "-o", "all.html", "--hints", "--solutions")
    plain, full = (Page(Path(name).read_text(encoding="utf-8")) for name in ("plain.html", "all.html"))
    for page in (plain, full):
        assert not {"a", "script", "iframe", "link", "object"} & page.tags
        assert page.sources and all(source.startswith("data:image/svg+xml;base64,") for source in page.sources)
        for words in (
            "A value used twice",
            "see its slider.",
            '# <i>"&amp;',
            "☐\xa0 Both x < y & edges move the result",
        ):
            assert words in page.text
    for words in ("How many edges leave", "One edge brings 1.", "Answer: Both x < y & edges"):
        assert words in full.text and words not in plain.text


@pytest.mark.slow
def test_a_printed_page_does_not_give_the_answer_away(folder, capsys, qapp):
    path = write(folder / "a.md", LESSON.replace("Predict\n", "Predict\nNow it is {a.grad} and {a.data}.\n", 1))
    said(capsys, "print", path, "-o", "out.html")
    text = Page(Path("out.html").read_text(encoding="utf-8")).text
    assert "Now it is ? and 3." in text


@pytest.mark.slow
def test_a_number_that_the_walk_has_not_computed_is_not_printed(folder, capsys, qapp):
    text = LESSON.replace("## A question\n", "## A question\nIt is {b.data}.\n```start\nwalk = 0\n```\n")
    path = write(folder / "a.md", text)
    assert said(capsys, "print", path, "-o", "out.html")[0] == 0
    assert "It is ?." in Page(Path("out.html").read_text(encoding="utf-8")).text


@pytest.mark.slow
@pytest.mark.parametrize("name", ["1", "12_", "16_moons_with_the_max_margin_loss", "Why += and not ="])
def test_lessons_of_gradstep_are_printed_by_number_name_and_title(tmp_path, capsys, name, qapp):
    if name == "12_":
        name = next(OWN_LESSONS.glob("09_*.md")).stem
    out = tmp_path / "out.pdf"
    assert said(capsys, "print", name, "-o", out, "--solutions")[0] == 0
    content = out.read_bytes()
    assert content.startswith(b"%PDF") and content.count(b"/Type /Page\n") >= 2


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("Why += and nto =", "-o", "x.pdf"), "did you mean 'Why += and not ='?"),
        (("999", "-o", "x.pdf"), "there is no lesson"),
        (("missing.md", "-o", "x.pdf"), "missing.md"),
        (("1", "-o", "x.docx"), "docx"),
        (("1", "-o", "missing/x.pdf"), "missing"),
        (("a.md", "-o", "a.md"), "choose another name"),
        (("1",), "-o"),
    ],
)
def test_a_wrong_request_for_a_page_is_one_line(folder, capsys, monkeypatch, arguments, words, qapp):
    monkeypatch.chdir(folder)
    write(Path("a.md"), LESSON)
    code, lines, errors = said(capsys, "print", *arguments)
    assert (code, lines, len(errors)) == (2, [], 1)
    assert words in errors[0]
    assert [path.name for path in Path().iterdir()] == ["a.md"]


@pytest.mark.slow
@pytest.mark.parametrize("pattern", ["08_*.md", "16_*.md"])
def test_no_part_of_a_lesson_is_lost_between_its_pages(tmp_path, capsys, pattern, qapp):
    path, out = next(OWN_LESSONS.glob(pattern)), tmp_path / "out.pdf"
    assert said(capsys, "print", path, "-o", out)[0] == 0
    document = PdfDocument(out)
    pages = [" ".join(page.get_textpage().get_text_bounded().split()) for page in document]
    document.close()
    text = " ".join(pages)
    for number, step in enumerate(read_lesson(path).steps[1:], start=2):
        assert f"{number}. {step.title.replace('`', '')}" in text
        if step.goal is not None:
            asked = step.goal.fields.get("question", step.goal.wanted)
            assert " ".join(asked.replace("`", "").split()) in text
    assert all(len(page) > 60 for page in pages), "an empty page"


def test_signs_of_html_in_a_title_and_a_summary_are_shown_as_they_are(folder, capsys, qapp):
    write(folder / "a.md", LESSON.replace('twice"\norder', 'twice: p & q < r"\nsummary = "p & q < r"\norder'))
    assert said(capsys, "print", folder / "a.md", "-o", "out.html")[0] == 0
    assert Path("out.html").read_text(encoding="utf-8").count("p &amp; q &lt; r") == 3  # the title stands twice
