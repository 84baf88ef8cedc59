"""`python -m memtru_ci` is `memtru-ci`."""

from memtru_ci.cli import main

if __name__ == "__main__":
    main()
