"""Start a course's formgrader on the hub. The hub runs this as the course's own account.

It is a JupyterLab in the class's folder; the hub lets in members of the group formgrade-COURSE.
"""

import os
import sys
from pathlib import Path

sys.modules["rfc3987_syntax"] = None  # see learner.py

HERE = Path(__file__).resolve().parent


def main() -> None:
    """Start in the class's folder."""
    folder = Path(os.environ.get("COURSE_CLASS") or Path.home() / "class")
    os.chdir(folder)
    os.umask(0o022)  # learners read the released lessons and pages; the home folder is closed
    os.environ["JUPYTER_CONFIG_PATH"] = str(HERE / "grader")
    os.environ["PATH"] = f"{Path(sys.executable).parent}{os.pathsep}{os.environ.get('PATH', '')}"
    from jupyterhub.singleuser import main as serve  # after the settings, which it reads

    sys.argv += [f"--ServerApp.root_dir={folder}", "--ServerApp.default_url=/formgrader"]
    serve()


if __name__ == "__main__":
    main()
