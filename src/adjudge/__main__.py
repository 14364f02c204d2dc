"""`python -m adjudge`."""

import sys

if __name__ == "__main__":
    try:
        from adjudge.cli import main

        main()
    except KeyboardInterrupt:  # before the program could begin
        sys.exit(130)
