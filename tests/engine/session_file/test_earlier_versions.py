"""Sessions as each earlier version of the program wrote them: they open, and training goes on as it did there.

The files were trained for 40 steps and saved by the last program that wrote each version; the losses are those that the
same program saw in the next ten steps.
"""

import csv
import json
from pathlib import Path

import pytest

from engine.session_file import from_json, to_json
from engine.session_file.format import VERSION
from main import main

FOLDER = Path(__file__).parent / "earlier"
PROGRAM_LINES = 8
LOSSES_WITH_ADAM = {
    2: [0.7575710896163761, 0.607658617849791, 0.4830871378862059, 0.3832866066434054, 0.5497064733333272,
        0.5956134868776667, 0.46851327241049845, 0.49157316410708446, 0.49892352115097116, 0.3313422744274915],
    3: [0.4716904215802548, 0.479721231600925, 0.274740497824256, 0.16728813638246057, 0.40557005872533797,
        0.2505294099204505, 0.31191493594300446, 0.13911497841657125, 0.2752690006111067, 0.15847784255917652],
}  # fmt: skip
LOSSES_WITH_ADAM[4] = LOSSES_WITH_ADAM[3]  # the settings of both are the same


@pytest.mark.parametrize("version", range(1, VERSION))
def test_a_session_of_every_earlier_version_opens_with_its_program_its_network_and_its_training(version):
    document = from_json((FOLDER / f"version_{version}.gradstep").read_text(encoding="utf-8"))
    assert len(document.expression.text.splitlines()) == PROGRAM_LINES
    assert document.expression.ranges == (("w1", (-5.0, 5.0)),)
    assert document.network.layer_sizes == (2, 5, 3, 1)
    assert document.network.activations == (("relu", "relu") if version < 3 else ("relu", "tanh"))
    assert (document.trained.step, len(document.trained.parameters)) == (40, 37)
    assert (document.view.shows, document.view.sample, document.view.moved) == ("network", 4, (("n", (10.0, -20.0)),))


@pytest.mark.parametrize("version", LOSSES_WITH_ADAM)
def test_training_goes_on_as_it_did_in_the_version_that_wrote_the_file(version, tmp_path, capsys):
    log = tmp_path / "losses.csv"
    assert main(["train", str(FOLDER / f"version_{version}.gradstep"), "--steps", "10", "--log", str(log)]) == 0
    with log.open(encoding="utf-8") as file:
        losses = {int(row["step"]): float(row["loss"]) for row in csv.DictReader(file)}
    assert losses == pytest.approx(dict(enumerate(LOSSES_WITH_ADAM[version], start=40)), rel=1e-9)


@pytest.mark.parametrize("version", range(1, VERSION))
def test_nothing_that_an_earlier_version_wrote_is_lost(version):
    """Fields of the same name hold the same; the few that have become others are looked at above."""
    text = (FOLDER / f"version_{version}.gradstep").read_text(encoding="utf-8")
    document, written = json.loads(to_json(from_json(text))), json.loads(text)
    assert "\n".join(document["expression"].pop("text")) == written["expression"].pop("text")
    written["network"].pop("activation", None)
    for section, fields in written.items():
        if section != "gradstep":
            assert {name: document[section][name] for name in fields} == fields, section
