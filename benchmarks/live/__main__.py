"""`python -m benchmarks.live [speed] [million] [large] [slow] [kills]`: all, or those named."""

import sys

from benchmarks.live import kills, large, million, slow, speed

PARTS = {
    "speed": speed.main,
    "million": million.main,
    "large": large.main,
    "slow": slow.main,
    "kills": kills.main,
}


def main() -> None:
    """Run the parts and print what they measured."""
    for name in sys.argv[1:] or PARTS:
        if name not in PARTS:
            sys.exit(f"no part {name}; there are {', '.join(PARTS)}")
        PARTS[name]()


if __name__ == "__main__":
    main()
