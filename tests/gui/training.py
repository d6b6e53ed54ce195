"""Training in tests: a command, and waiting for what it leads to."""

LONG = 10_000


def train(session, qtbot, amount):
    """One "step", "epoch" or "phase", waited for: reports of what was asked before are passed over."""
    before = session.newest

    def has_gone_on(change):
        progress = session.newest
        if "moment" not in change or progress is None:
            return False
        started = before is None or before.run != progress.run
        step, phase = (session.document.trained.step, None) if started else (before.snapshot.step, before.phase)
        return (progress.snapshot.step, progress.phase) != (step, phase) and progress.state != "running"

    with qtbot.waitSignal(session.changed, timeout=LONG, check_params_cb=has_gone_on):
        session.train(amount)
