"""What a submission may use while it is graded, and the process settings that hold it to that."""

from __future__ import annotations

import os
from dataclasses import asdict, dataclass, fields
from typing import Any

MEGABYTE = 1_000_000


@dataclass(frozen=True)
class Limits:
    """Limits on one submission; a class may state its own in `class.json`.

    Attributes:
        cell_seconds: wall time of one cell.
        call_seconds: wall time of one call of an exercise.
        total_seconds: wall time of the whole submission.
        memory_mb: private memory of a process (Linux only), beyond which allocation fails.
        file_mb: size of one file written (not on Windows).
        open_files: files open at once (not on Windows).
        processes: processes and threads of the submission, where it is confined.
        output_characters: printed text kept of one cell.
    """

    cell_seconds: float = 30.0
    call_seconds: float = 10.0
    total_seconds: float = 300.0
    memory_mb: int = 4000
    file_mb: int = 100
    open_files: int = 256
    processes: int = 64
    output_characters: int = 10_000

    def as_dict(self) -> dict[str, Any]:
        """The limits as JSON data."""
        return asdict(self)


def limits_from(data: dict[str, Any]) -> Limits:
    """Limits from JSON data; what it does not state keeps its default.

    Raises:
        ValueError: a name that is no limit, or a value that is no positive number.
    """
    known = {field.name for field in fields(Limits)}
    for name, value in data.items():
        if name not in known or type(value) not in (int, float) or value <= 0:
            raise ValueError(f"{name}: {value!r} is no limit. Limits: {', '.join(sorted(known))}.")
    return Limits(**data)


def clean_environment(scratch: str) -> dict[str, str]:
    """The environment of a runner: one thread, nothing of the instructor's but where things are."""
    kept = {"PATH", "SYSTEMROOT", "TEMP", "TMP", "VIRTUAL_ENV"}
    environment = {name: value for name, value in os.environ.items() if name in kept}
    for name in ("OMP", "MKL", "OPENBLAS", "NUMEXPR", "VECLIB_MAXIMUM"):
        environment[f"{name}_NUM_THREADS"] = "1"
    return environment | {
        "HOME": scratch,
        "IPYTHONDIR": os.path.join(scratch, ".ipython"),
        "JUPYTER_PLATFORM_DIRS": "1",
        "LANG": "C.UTF-8",
        "MPLBACKEND": "Agg",
        "PYTHONHASHSEED": "0",
        "PYTHONDONTWRITEBYTECODE": "1",
        "PYTHONUTF8": "1",
    }


def limit_process(limits: Limits, confined: bool = False) -> None:
    """Hold the current process and all it starts to `limits`, for good.

    Processes are counted only where it is `confined`: elsewhere all of the user's would count.
    """
    try:
        import resource
    except ImportError:  # Windows: only the watching process's clock limits
        return
    wanted = {
        "RLIMIT_CORE": 0,
        "RLIMIT_CPU": int(limits.total_seconds) + 10,
        "RLIMIT_DATA": limits.memory_mb * MEGABYTE,
        "RLIMIT_FSIZE": limits.file_mb * MEGABYTE,
        "RLIMIT_NOFILE": limits.open_files,
    }
    if confined:
        wanted["RLIMIT_NPROC"] = limits.processes
    for name, value in wanted.items():
        kind = getattr(resource, name, None)
        if kind is not None:
            hard = resource.getrlimit(kind)[1]
            value = value if hard == resource.RLIM_INFINITY else min(value, hard)
            resource.setrlimit(kind, (value, value))
