"""`python -m benchmarks.live [PART]...`: all parts, or those named."""

import sys

from benchmarks.live import kills, large, million, shared, slow, speed, transport

PARTS = {
    "speed": speed.main,
    "transport": transport.main,
    "million": million.main,
    "large": large.main,
    "slow": slow.main,
    "kills": kills.main,
    "shared": shared.main,
}


def main() -> None:
    """Run the parts and print the results."""
    for name in sys.argv[1:] or PARTS:
        if name not in PARTS:
            sys.exit(f"no part {name}; there are {', '.join(PARTS)}")
        PARTS[name]()


if __name__ == "__main__":
    main()
