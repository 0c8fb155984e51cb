"""JupyterLab, which starts sooner after this package: `python -m course_utils.lab`."""

import sys

from jupyterlab.labapp import main

if __name__ == "__main__":
    sys.exit(main())
