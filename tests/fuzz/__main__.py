"""`python -m tests.fuzz [--seconds N] [--seed S] [--target T]`: exit code 1 for findings and what is too slow."""

import argparse
import sys

from tests.fuzz import TARGETS, worker
from tests.fuzz.campaign import run


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description=__doc__)
    parser.add_argument("--seconds", type=float, default=60.0, help="for all targets together, which take turns")
    parser.add_argument("--seed", type=int, default=0, help="of the first case; the others follow")
    parser.add_argument("--target", choices=(*TARGETS, "all"), default="all")
    parser.add_argument("--cases", type=int, default=10**9, help="at most so many of each target")
    parser.add_argument("--worker", action="store_true", help=argparse.SUPPRESS)
    parser.add_argument("--replay", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.replay:
        return worker.replay(options.target, sys.stdin.read())
    if options.worker:
        return worker.work(options.target, options.seed, options.seconds, options.cases)
    names = TARGETS if options.target == "all" else (options.target,)
    return int(run(names, options.seed, options.seconds, options.cases) > 0)


if __name__ == "__main__":
    sys.exit(main())
