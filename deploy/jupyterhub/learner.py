"""Start a person's JupyterLab on the hub. The hub runs this as that person, not as root.

Lays out the lessons in the home folder (what is there already is never touched), then
serves as `jupyterhub-singleuser` does. COURSE_LANG says which language a new learner gets.
"""

import json
import os
import sys
from pathlib import Path

# jsonschema builds a grammar of web addresses when it finds this package: a second of each start.
# Nothing here checks addresses.
sys.modules["rfc3987_syntax"] = None

HERE = Path(__file__).resolve().parent
NOTEBOOKS = HERE.parents[1] / "notebooks"
LESSONS = "lessons"
START_PAGE = "00_start.ipynb"
WITHOUT = (  # nbgrader's pages for instructors; a second face of JupyterLab
    "nbgrader.server_extensions.formgrader",
    "nbgrader.server_extensions.course_list",
    "notebook",
)


def language(folder: Path, wish: str) -> str:
    """The language of the lessons in `folder`; `wish` where there are none."""
    try:
        page = json.loads((folder / START_PAGE).read_text(encoding="utf-8"))
        found = page["metadata"]["course"]["lang"]
    except (OSError, ValueError, KeyError, TypeError):
        found = wish
    return found if found in ("en", "zh") else "en"


def lay_out(source: Path, folder: Path) -> list[Path]:
    """Copy the lessons that `folder` lacks, each with its kit; returns the new notebooks.

    A lesson that is there stays with the kit that it was made for, though both may be older.
    """
    new = []
    for notebook in sorted(source.glob("*.ipynb")):
        target = folder / notebook.name
        if target.exists() or target.is_symlink():
            continue
        kit = source / ".course" / f"{notebook.stem}.kit.json"
        if kit.exists():
            put(kit, folder / ".course" / kit.name)
        put(notebook, target)
        new.append(target)
    return new


def put(source: Path, target: Path) -> None:
    """Copy a file in one step, so that a start that is cut off leaves no half of it."""
    target.parent.mkdir(parents=True, exist_ok=True)
    half = target.with_name(f".{target.name}.new")
    half.write_bytes(source.read_bytes())
    half.replace(target)


def trust(notebooks: list[Path]) -> None:
    """Sign notebooks: JupyterLab takes the style out of outputs it does not trust."""
    import nbformat
    from nbformat.sign import NotebookNotary

    notary = NotebookNotary()
    for path in notebooks:
        notary.sign(nbformat.read(path, as_version=4))


def settings(lang: str) -> None:
    """Tell this server and its kernels where their settings are."""
    folders = [HERE / "jupyter", *([HERE / "jupyter-zh"] if lang == "zh" else [])]
    given = os.environ.get("JUPYTER_CONFIG_PATH", "").split(os.pathsep)
    paths = [*map(str, reversed(folders)), *filter(None, given)]
    os.environ["JUPYTER_CONFIG_PATH"] = os.pathsep.join(paths)
    os.environ["PATH"] = f"{Path(sys.executable).parent}{os.pathsep}{os.environ.get('PATH', '')}"
    threads = str(max(1, int(float(os.environ.get("CPU_LIMIT") or 1))))
    os.environ.setdefault("OMP_NUM_THREADS", threads)  # or each kernel takes all cores


def options(home: Path) -> list[str]:
    """What JupyterLab is started with."""
    return [
        *(f"--ServerApp.jpserver_extensions={name}=False" for name in WITHOUT),
        f"--ServerApp.root_dir={home}",
        f"--ServerApp.default_url=/lab/tree/{LESSONS}/{START_PAGE}",
    ]


def main() -> None:
    """Lay out the lessons and start."""
    os.umask(0o077)  # what people make here is theirs alone
    home = Path.home()
    lang = language(home / LESSONS, os.environ.get("COURSE_LANG", "en"))
    settings(lang)
    try:
        new = lay_out(NOTEBOOKS / lang, home / LESSONS)
        if new:
            trust(new)
    except Exception as problem:  # a full disk, say: whoever works here must get in to mend it
        print(f"The lessons could not be laid out: {problem}", file=sys.stderr)
    from jupyterhub.singleuser import main as serve  # after the settings, which it reads

    sys.argv += options(home)
    serve()


if __name__ == "__main__":
    main()
