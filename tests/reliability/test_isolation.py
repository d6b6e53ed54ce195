"""Opened files run in the sandbox only and this is said, the network is not used, and names in exports are names."""

import socket
from pathlib import Path

import pytest

from gui.help.pages import pages
from tests.reliability import escaping, isolation

TRIAL = Path("/tmp/trial")
CAUGHT = [
    '9 execve("/bin/mkdir", ["mkdir"], 0x1 /* 3 vars */) = 0',
    "9 socket(AF_INET, SOCK_STREAM, IPPROTO_IP) = 3<TCP:[1]>",
    '9 sendto(3, "x", 1, 0, {sa_family=AF_INET, sin_port=htons(9)}, 16) = 1',
    '9 openat(AT_FDCWD</home>, "a", O_WRONLY|O_CREAT, 0666) = 3</home/a>',
    '9 openat(AT_FDCWD</home>, "/tmp/trial/secret.txt", O_RDONLY) = 3</tmp/trial/secret.txt>',
    '9 mkdir("/home/made", 0777) = 0',
]
ALLOWED = [
    '9 execve("/no/such/program", ["x"], 0x1 /* 3 vars */) = -1 ENOENT (No such file or directory)',
    "9 socket(AF_UNIX, SOCK_STREAM|SOCK_CLOEXEC, 0) = 3<UNIX:[1]>",
    '9 openat(AT_FDCWD</home>, "a", O_RDONLY|O_CLOEXEC) = 3</home/a>',
    '9 openat(AT_FDCWD</tmp/trial>, "a.svg", O_WRONLY|O_CREAT, 0666) = 3</tmp/trial/a.svg>',
]


@pytest.mark.long
def test_files_of_every_kind_run_nothing_outside_the_sandbox_and_nothing_reaches_the_network():
    assert isolation.findings()[1] == []


@pytest.mark.parametrize("line", CAUGHT)
def test_a_system_call_that_gets_out_is_found(line):
    assert len(isolation.of_system_calls([line, *ALLOWED], TRIAL)) == 1


def test_system_calls_of_the_trial_itself_are_no_finding():
    assert isolation.of_system_calls(ALLOWED, TRIAL) == []


def test_whoever_reaches_a_server_of_the_trial_is_found():
    with socket.socket() as tcp, socket.socket(type=socket.SOCK_DGRAM) as udp, socket.socket() as visitor:
        tcp.bind(("127.0.0.1", 0))
        tcp.listen()
        udp.bind(tcp.getsockname())
        assert isolation.reached(tcp, udp) == []
        visitor.connect(tcp.getsockname())
        udp.sendto(b"x", udp.getsockname())
        assert len(isolation.reached(tcp, udp)) == 2


@pytest.mark.parametrize("page", isolation.SAYS_SO)
def test_the_help_says_that_programs_run_in_the_sandbox(qapp, page):
    text = " ".join(pages()[page].plain_text.split())
    assert "in a sandbox" in text and "no access" in text


def test_the_help_says_it_of_what_somebody_else_has_made(qapp):
    text = " ".join(pages()["guide/programs"].plain_text.split())
    sentence = next(each for each in text.split(". ") if "somebody gave you" in each)
    assert all(word in sentence for word in ("session", "example", "lesson", "runs its program there"))


@pytest.mark.long
def test_a_hostile_name_is_only_a_name_in_every_format(qapp):
    assert escaping.findings()[1] == []


@pytest.mark.parametrize("reliability", [escaping, isolation])
def test_help_is_printed_instead_of_a_run(reliability, monkeypatch, capsys):
    monkeypatch.setattr("sys.argv", [reliability.__name__, "--help"])
    monkeypatch.setattr(reliability, "findings", lambda: pytest.fail("it ran"))
    with pytest.raises(SystemExit) as ended:
        reliability.main()
    assert ended.value.code == 0 and reliability.__name__ in capsys.readouterr().out
