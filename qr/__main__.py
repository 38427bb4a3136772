"""`python -m qr`: the command line."""

from qr.cli import main

if __name__ == "__main__":
    main()
