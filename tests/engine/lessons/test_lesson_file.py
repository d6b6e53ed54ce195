"""Lesson files: what is read, and the file and line of what is wrong."""

import os

import pytest

from engine.lessons import LessonError, lesson_file, read_folder, read_lesson
from engine.lessons.lesson_file import LARGEST_FILE, examine_lesson, parse_lesson
from tests.engine.lessons.lesson_texts import LESSON


def test_a_lesson_is_read_with_its_steps_and_their_goals():
    lesson = parse_lesson(LESSON, "06_why.md")
    assert (lesson.name, lesson.title, lesson.order, lesson.minutes) == ("06_why", "A value used twice", 6.0, 5)
    assert lesson.show == ("program", "graph")
    assert lesson.document.expression.text == "a = 3.0\nb = a + a\n"
    assert lesson.document.training.learning_rate == 0.1
    assert [(step.title, step.goal and step.goal.kind) for step in lesson.steps] == [
        ("A value used twice", None),
        ("Predict", "predicted"),
        ("Break it", "gradient"),
        ("A question", "answer"),
    ]
    assert lesson.steps[1].hints == ("How many edges leave `a`?",)
    assert lesson.steps[1].solution == (("predict", {"a": 2.0}),)
    assert lesson.steps[2].mistake == (("sliders", {"a": 4.0}),)
    assert "```python" in lesson.steps[2].text, "code that is no block of a lesson is text"
    assert lesson.steps[1].line == LESSON[: LESSON.index("## Predict")].count("\n") + 1


def test_only_what_a_lesson_begins_with_changes_its_beginning():
    first = parse_lesson(LESSON, "x.md")
    for old, new, same in [
        ("Two edges leave", "Two arrows leave", True),
        ("a = 3.0", "a = 5.0", False),
        ("learning_rate = 0.1", "learning_rate = 0.2", False),
        ("## Break it\n", '## Break it\n```start\nedit = { find = "3.0", replace = "4.0" }\n```\n', False),
    ]:
        assert (parse_lesson(LESSON.replace(old, new), "x.md").beginning == first.beginning) is same


def test_hidden_letters_of_a_title_are_seen():
    lesson = parse_lesson(LESSON.replace("A value used", "A value\ufeff used"), "x.md")
    assert lesson.title == "A value\\ufeff used twice"


def test_another_text_has_another_digest():
    assert parse_lesson(LESSON, "a.md").digest == parse_lesson(LESSON, "b.md").digest
    assert parse_lesson(LESSON + "\n", "a.md").digest != parse_lesson(LESSON, "a.md").digest


@pytest.mark.parametrize(
    ("old", "new", "at", "word"),
    [
        ("+++\nformat", "format", "format", "+++"),
        ("format = 1", "format = 2", "format", "newer"),
        ("format = 1", 'format = "1"', "format", "whole number"),
        ("format = 1\n", "", "+++", "format"),
        ("minutes = 5", "minutes = 5\nlenght = 3", "lenght", "lenght"),
        ("minutes = 5", "minutes = ", "minutes", "Invalid"),
        ("minutes = 5", "minuts = 5", "minuts", "did you mean"),
        ("[training]", "[data]\nseed = 1\n[network]\nseed = 0.5\n[training]", "seed = 0.5", "network.seed"),
        ("learning_rate = 0.1", 'learning_rate = "0.1"', "learning_rate", "without quotes"),
        ("is = 3", 'is = "3"', 'is = "3"', "without quotes"),
        ("order = 6", "order = nan", "order", "number"),
        ("learning_rate = 0.1", "learning_rate = -1", "learning_rate", "training.learning_rate"),
        ("learning_rate = 0.1", "momentum = 1", "momentum", "training.momentum"),
        ("[training]", "[network]\nlayer_sizes = [3, 1]\n[training]", "layer_sizes", "inputs of the data"),
        ("[training]", "[runs]", "[runs]", "runs"),
        ("## Predict", "# Predict", "# Predict", "##"),
        ("## Predict", "## ", "## ", "title"),
        ('kind = "predicted"', 'kind = "predict"', 'kind = "predict"', "predicted"),
        ('kind = "predicted"', "", "```goal", "kind"),
        ('node = "a"\nwrong', 'nodes = "a"\nwrong', 'nodes = "a"', "nodes"),
        ('node = "a"\nwrong', "node = 1\nwrong", "node = 1", "text"),
        ('node = "a"\nis = 3', "is = 3", 'kind = "gradient"', "node"),
        ("is = 3", "within = 0.1", 'kind = "gradient"', "above"),
        ("wrong = [{ is = 1.0, says = ", "wrong = [{ is = 1.0, said = ", "wrong", "said"),
        ("predict = {", "predicts = {", "predicts", "did you mean"),
        ("predict = { a = 2.0 }", "predict = { a = true }", "predict = {", "number"),
        ("predict = { a = 2.0 }", "", "```solution", "no actions"),
        ("```hint", "```hnt", "```hnt", "hint"),
        ("sliders = { a = 4.0 }\n```", "sliders = { a = 4.0 }\n", "```mistake", "not closed"),
        ("```mistake\nsliders = { a = 4.0 }\n```", "", '```goal\nkind = "gradient"', "mistake"),
        ('```solution\nanswer = "Both edges move the result"\n```', "", '```goal\nkind = "answer"', "solution"),
        (', says = "Nudge a and look."', "", "choices", "says"),
        (", right = true", ', says = "no"', "choices", "right"),
        ("Two edges leave", "<b>Two</b> edges leave", "<b>", "HTML"),
        ("Two edges leave", "<!-- x --> edges leave", "<!--", "HTML"),
        ("Two edges leave", "![x](file:///etc/passwd) edges", "![x]", "pictures"),
        ("show:program.sliders", "https://example.org", "https", "show:"),
        ("show:program.sliders", "file:///etc/passwd", "file:", "show:"),
        ("show:program.sliders", "show:program.sliders onclick=1", "onclick", "show:"),
        ("Two edges leave", "[x]: https://example.org\n\nTwo edges", "[x]:", "reference"),
        ("Two edges leave", "Two\0 edges leave", "Two", "not text"),
        ("[training]\nlearning_rate = 0.1", "training = 3", "training", "table of settings"),
        ('edit = { find = "a + a", replace = "a + a + a" }', 'edit = { find = "a + a" }', "edit", "replace"),
        ("sliders = { a = 4.0 }", "data = {}", "data", "settings"),
        ('node = "a"\nwrong', 'node = " "\nwrong', 'node = " "', "name"),
        ("wrong = [{ is = 1.0, says = ", "wrong = [{ says = ", "wrong", "'is'"),
        ("They do not", "Both edges move the result", "choices", "different"),
        ("```solution\npredict", "```goal\n```\n```solution\npredict", "```goal\n```", "one goal"),
        ("```solution\npredict", "```hint\nx\n```\n" * 3 + "```solution\npredict", "```hint\nx\n```\n```sol", "hints"),
        ("## Break it", "## Break it\n```hint\nx\n```\n## More", "## Break", "need a goal"),
    ],
)
def test_a_wrong_lesson_is_refused_at_its_line(old, new, at, word):
    assert LESSON.count(old) >= 1
    text = LESSON.replace(old, new, 1)
    with pytest.raises(LessonError) as caught:
        parse_lesson(text, "06_why.md")
    assert caught.value.file == "06_why.md"
    assert word in caught.value.reason
    assert caught.value.line == text[: text.index(at)].count("\n") + 1


@pytest.mark.parametrize(
    ("settings", "at"),
    [
        ("[network]\nrate = 1\n[training]\nlearning_rate = 9e9", "learning_rate = 9e9"),
        ("[network]\nlearning_rate = 9e9\n[training]\nlearning_rate = 0.1", "learning_rate = 9e9"),
        ("training.learning_rate = -1", "training.learning_rate"),
        ("training = { learning_rate = -1 }", "training ="),
    ],
)
def test_the_line_of_a_setting_is_the_one_in_its_table(settings, at):
    text = LESSON.replace("[training]\nlearning_rate = 0.1", settings)
    assert settings in text
    _, errors = examine_lesson(text, "x.md")
    assert text[: text.index(at)].count("\n") + 1 in [error.line for error in errors]


def test_a_line_of_the_program_is_not_taken_for_a_setting():
    text = LESSON.replace("order = 6\n", "").replace("a = 3.0\n", "order = 3.0\na = order\n", 1)
    text = text.replace('show = ["program"', 'order = "x"\nshow = ["program"')
    with pytest.raises(LessonError) as caught:
        parse_lesson(text, "06_why.md")
    assert caught.value.line == text[: text.index('order = "x"')].count("\n") + 1


@pytest.mark.parametrize("end", range(0, len(LESSON), 37))
def test_a_lesson_cut_off_anywhere_is_a_lesson_or_one_error(end):
    try:
        lesson = parse_lesson(LESSON[:end], "06_why.md")
    except LessonError as error:
        assert 1 <= error.line <= LESSON.count("\n") + 1
    else:
        assert lesson.steps


@pytest.mark.parametrize(
    ("content", "word"),
    [
        (b"", "+++"),
        (b"\xff\xfe+++", "UTF-8"),
        (b"+++\n" * (LARGEST_FILE // 4 + 1), "at most"),
        (b"+++\nformat = 1\na = " + b"[" * 5000 + b"\n+++\n", ""),
        (b"+++\nformat = 1\n+++\n", "missing"),
    ],
)
def test_files_of_other_kinds_give_one_clear_error(tmp_path, content, word):
    path = tmp_path / "x.md"
    path.write_bytes(content)
    with pytest.raises(LessonError) as caught:
        read_lesson(path)
    assert word in caught.value.reason
    assert "\n" not in str(caught.value)


def test_a_lesson_that_ends_with_its_settings_has_no_error_beyond_its_last_line():
    errors = examine_lesson("+++\n+++", "x.md")[1]
    assert {error.line for error in errors} == {1, 2}


def test_a_folder_gives_its_lessons_in_order_and_an_error_for_each_bad_one(tmp_path):
    (tmp_path / "b.md").write_text(LESSON.replace("order = 6", "order = 1"), encoding="utf-8")
    (tmp_path / "a.md").write_text(LESSON, encoding="utf-8")
    (tmp_path / "c.md").write_text("no lesson", encoding="utf-8")
    (tmp_path / "README.md").write_text("about these lessons", encoding="utf-8")
    lessons, errors = read_folder(tmp_path)
    assert [lesson.name for lesson in lessons] == ["b", "a"]
    assert [error.file for error in errors] == ["c.md"]


def test_of_a_folder_with_too_many_lessons_the_first_are_read_and_that_is_said(tmp_path, monkeypatch):
    monkeypatch.setattr(lesson_file, "MOST_LESSONS", 2)
    for name in "abc":
        (tmp_path / f"{name}.md").write_text(LESSON, encoding="utf-8")
    lessons, errors = read_folder(tmp_path)
    assert [lesson.name for lesson in lessons] == ["a", "b"]
    assert "3 lessons; 2 are read" in str(errors[0])


def test_the_errors_of_a_folder_keep_nothing_else_alive(tmp_path):
    (tmp_path / "bad.md").write_text(LESSON.replace("## ", "### "))
    _lessons, errors = read_folder(tmp_path)
    assert [error.__traceback__ for error in errors] == [None]
    with pytest.raises(LessonError) as told:
        read_lesson(tmp_path / "bad.md")
    assert str(told.value) == str(errors[0])
    _lessons, again = read_folder(tmp_path)
    assert again[0].__traceback__ is None


def test_a_pipe_is_refused_without_waiting_for_it(tmp_path):
    os.mkfifo(tmp_path / "x.md")
    with pytest.raises(LessonError, match="pipe"):
        read_lesson(tmp_path / "x.md")


def test_a_folder_that_is_not_there_is_one_error(tmp_path):
    lessons, errors = read_folder(tmp_path / "missing")
    assert not lessons
    assert len(errors) == 1
