"""`python -m weft` is the `weft` command."""

from weft.faces.cli.main import main

if __name__ == "__main__":  # Workers of MPI import it.
    main()
