"""Shut a process in, on Linux: what it can see, reach, use and become.

The warm process forks a keeper, the keeper makes the namespaces and forks the runner, and the
runner closes the door behind itself (`shut_in`) before it runs the first line of learner code:

- user namespace: no rights over anything outside; where the grader is root, another user;
- mount namespace: a root of its own that holds only Python and the system's libraries, read-only,
  and small scratch folders in memory; no class, home or other submission exists in it;
- PID, IPC, network and UTS namespaces: no other process, no network, not even the loopback;
- no capabilities, no way to new ones, limits on everything that `limits` names.

It is done here and not by `bwrap` around the runner because a fork of a warm process (tens of
milliseconds) cannot pass through an exec; the steps are bubblewrap's. Any step that fails raises,
and then no learner code runs.
"""

from __future__ import annotations

import ctypes
import os
import signal
import struct
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path

import course_utils

HOME = "/home/learner"
NOBODY = 65534
NAMESPACES = {
    "CLONE_NEWNS": 0x00020000,
    "CLONE_NEWCGROUP": 0x02000000,
    "CLONE_NEWUTS": 0x04000000,
    "CLONE_NEWIPC": 0x08000000,
    "CLONE_NEWUSER": 0x10000000,
    "CLONE_NEWPID": 0x20000000,
    "CLONE_NEWNET": 0x40000000,
}
MS_RDONLY, MS_NOSUID, MS_NODEV, MS_NOEXEC = 1, 2, 4, 8
MS_BIND, MS_REC, MS_PRIVATE = 0x1000, 0x4000, 0x40000
MNT_DETACH = 2
SYS_MOUNT_SETATTR = 442  # the same on every architecture
AT_FDCWD, AT_RECURSIVE = -100, 0x8000
MOUNT_ATTR_RDONLY, MOUNT_ATTR_NOSUID = 1, 2
PR_SET_PDEATHSIG, PR_CAPBSET_DROP, PR_SET_NO_NEW_PRIVS, PR_CAP_AMBIENT = 1, 24, 38, 47
PR_CAP_AMBIENT_CLEAR_ALL = 4
CAPABILITY_VERSION_3 = 0x20080522
DEVICES = ("null", "zero", "full", "random", "urandom")
SYSTEM = ("/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/etc/alternatives")
HIDDEN = ("/usr/local/share/nbgrader",)  # nbgrader's usual exchange: work of all learners
SYSTEM_FILES = ("/etc/ld.so.cache", "/etc/localtime")


class CannotConfine(OSError):
    """The system does not let a process be shut in; the text says which step failed."""


def visible_folders() -> list[str]:
    """What a confined process sees of the disk: Python, its packages, the system's libraries.

    Of a checkout of the course it sees the package alone: solutions lie beside it.
    """
    python = {sys.prefix, sys.base_prefix, sys.exec_prefix, sys.base_exec_prefix}
    package = Path(course_utils.__file__).parent
    packages = [path for path in sys.path if os.path.abspath(path) != str(package.parent)]
    folders = [*SYSTEM, *python, *packages, str(package)]
    return _outermost(folder for folder in folders if os.path.isdir(folder))


def lies_in_sight(path: Path, visible: Iterable[str]) -> bool:
    """Whether a confined process to which these folders are visible could see `path`."""
    real = path.resolve()

    def lies_in(folders: Iterable[str]) -> bool:
        resolved = [Path(folder).resolve() for folder in folders]
        return any(real == folder or folder in real.parents for folder in resolved)

    return lies_in(visible) and not lies_in(HIDDEN)


def _outermost(folders: Iterable[str]) -> list[str]:
    """Drop what lies inside another of them."""
    kept: list[str] = []
    for folder in sorted({os.path.abspath(folder) for folder in folders}, key=len):
        if not any(folder == outer or folder.startswith(outer + "/") for outer in kept):
            kept.append(folder)
    return kept


def leave_namespaces() -> None:
    """Give the calling process (and for PIDs its next child) namespaces of its own."""
    flags = 0
    for flag in NAMESPACES.values():
        flags |= flag
    _call("unshare", flags)


def write_id_maps(pid: int) -> None:
    """Say who the process `pid` is outside its new user namespace; done by its parent.

    Where the grader is root, root is mapped for setting up only, and `shut_in` becomes nobody.
    """
    uid, gid = os.geteuid(), os.getegid()
    users, groups = ([0, NOBODY], [0, NOBODY]) if uid == 0 else ([uid], [gid])
    folder = Path(f"/proc/{pid}")
    if uid != 0:
        (folder / "setgroups").write_text("deny")
    (folder / "uid_map").write_text("".join(f"{one} {one} 1\n" for one in users))
    (folder / "gid_map").write_text("".join(f"{one} {one} 1\n" for one in groups))


def shut_in(scratch_mb: int) -> None:
    """Make the new root the only one, and give up every right; for good.

    The calling process is the first one in its PID namespace. Afterwards its working folder is an
    empty scratch folder that only it can see.
    """
    own = NOBODY if os.geteuid() == 0 else os.geteuid()
    _new_root(visible_folders(), scratch_mb, own)
    _drop_bounding_set()
    if os.geteuid() == 0:
        os.setgroups([])
        os.setresgid(NOBODY, NOBODY, NOBODY)
        os.setresuid(NOBODY, NOBODY, NOBODY)
    _drop_capabilities()
    _prctl(PR_SET_NO_NEW_PRIVS, 1)
    die_with_parent()
    os.chdir(HOME)
    _see_to_it_that_it_holds()


def die_with_parent() -> None:
    """Have the kernel kill this process when its parent ends."""
    _prctl(PR_SET_PDEATHSIG, signal.SIGKILL)


def _new_root(visible: list[str], scratch_mb: int, own: int) -> None:
    """A root in memory with read-only views of `visible`; the old root is let go."""
    places = list(_views(visible))
    _mount(None, "/", None, MS_REC | MS_PRIVATE)
    _mount("tmpfs", "/proc", "tmpfs", MS_NOSUID | MS_NODEV, "mode=755,size=1m")
    os.mkdir("/proc/old")
    _call("pivot_root", b"/proc", b"/proc/old")
    os.chdir("/")
    _scratch(scratch_mb)
    for source, place in places:
        _bind(f"/old{source}", place)
    for folder in filter(os.path.isdir, HIDDEN):
        _mount("tmpfs", folder, "tmpfs", MS_RDONLY, "mode=000,size=4k")
    for device in DEVICES:
        _bind(f"/old/dev/{device}", f"/dev/{device}")
    os.symlink("/proc/self/fd", "/dev/fd")
    os.makedirs("/etc", exist_ok=True)
    Path("/etc/passwd").write_text(f"learner:x:{own}:{own}::{HOME}:/bin/sh\n")
    os.mkdir("/proc")
    flags = MS_RDONLY | MS_NOSUID | MS_NODEV | MS_NOEXEC
    _mount("proc", "/proc", "proc", flags, "subset=pid")
    _call("umount2", b"/old", MNT_DETACH)
    os.rmdir("/old")
    _read_only("/", below=False)


def _scratch(megabytes: int) -> None:
    """Folders in memory that the process may write to."""
    for folder in ("/tmp", HOME, "/dev/shm"):
        os.makedirs(folder)
        options = f"mode=1777,size={megabytes}m,nr_inodes=10k"
        _mount("tmpfs", folder, "tmpfs", MS_NOSUID | MS_NODEV, options)


def _views(visible: list[str]) -> Iterator[tuple[str, str]]:
    """Where each visible folder and file really lies, and where it is seen."""
    for path in [*visible, *(name for name in SYSTEM_FILES if os.path.isfile(name))]:
        real = os.path.realpath(path)
        yield real, path
        if real != path and not any(real.startswith(f"{other}/") for other in visible):
            yield real, real


def _bind(source: str, place: str) -> None:
    """Show `source` at `place` of the new root, read-only (which leaves devices writable)."""
    if os.path.lexists(place):
        return
    if os.path.isdir(source):
        os.makedirs(place)
    else:
        os.makedirs(os.path.dirname(place), exist_ok=True)
        os.close(os.open(place, os.O_CREAT | os.O_WRONLY, 0o644))
    _mount(source, place, None, MS_BIND | MS_REC)
    _read_only(place, below=True)


def _read_only(place: str, below: bool) -> None:
    """Make the mount at `place` read-only, with all mounts below it where asked."""
    attributes = struct.pack("QQQQ", MOUNT_ATTR_RDONLY | MOUNT_ATTR_NOSUID, 0, 0, 0)
    _call(
        "syscall",
        ctypes.c_long(SYS_MOUNT_SETATTR),
        ctypes.c_int(AT_FDCWD),
        place.encode(),
        ctypes.c_uint(AT_RECURSIVE if below else 0),
        attributes,
        ctypes.c_size_t(len(attributes)),
    )


def _drop_bounding_set() -> None:
    for capability in range(64):
        try:
            _prctl(PR_CAPBSET_DROP, capability)
        except CannotConfine:
            if capability == 0:
                raise
            return  # the kernel knows no more of them; `_see_to_it_that_it_holds` looks again


def _drop_capabilities() -> None:
    _prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL)
    _call("capset", struct.pack("Ii", CAPABILITY_VERSION_3, 0), struct.pack("6I", *[0] * 6))


def _see_to_it_that_it_holds() -> None:
    """A last look from inside, in the kernel's own words."""
    status = dict(
        line.split(":\t", 1) for line in Path("/proc/self/status").read_text().splitlines()
    )
    sets = [int(status[name], 16) for name in ("CapInh", "CapPrm", "CapEff", "CapBnd", "CapAmb")]
    entries = {entry.name for entry in os.scandir("/")}
    sound = not any(sets) and status["NoNewPrivs"] == "1" and os.getpid() == 1
    if not sound or "old" in entries or 0 in os.getresuid():
        raise CannotConfine("the process is not shut in as it should be")


def _mount(source: str | None, place: str, kind: str | None, flags: int, data: str = "") -> None:
    try:
        _call(
            "mount",
            source.encode() if source else None,
            place.encode(),
            kind.encode() if kind else None,
            ctypes.c_ulong(flags),
            data.encode() if data else None,
        )
    except CannotConfine as problem:
        raise CannotConfine(f"{problem} ({kind or 'bind'} at {place})") from problem


def _prctl(option: int, value: int) -> None:
    _call("prctl", option, *(ctypes.c_ulong(number) for number in (value, 0, 0, 0)))


def _call(name: str, *arguments: object) -> None:
    """Call a function of the C library.

    Raises:
        CannotConfine: it failed.
    """
    libc = ctypes.CDLL(None, use_errno=True)
    if getattr(libc, name)(*arguments) == -1:
        raise CannotConfine(f"{name}: {os.strerror(ctypes.get_errno())}")
