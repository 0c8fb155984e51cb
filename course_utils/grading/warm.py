"""The warm process: Python with everything imported, forked once for each submission.

It never runs learner code, holds nothing of a class, and hands out forks that shut themselves in
before they are told anything. Started as `python -I -m course_utils.grading.warm`, with a socket
as standard input, it first says what its forks will see of the disk. Each message that it then
hears brings three descriptors: the runner's two pipes and the keeper's line to the grader.
"""

from __future__ import annotations

import contextlib
import gc
import json
import os
import select
import signal
import socket
import time
from typing import NoReturn

from course_utils.grading.child import prepare, receive, serve
from course_utils.grading.confine import (
    HOME,
    CannotConfine,
    die_with_parent,
    leave_namespaces,
    shut_in,
    visible_folders,
    write_id_maps,
)
from course_utils.grading.limits import MEGABYTE, Limits, limit_process

WATCH_SECONDS = 0.25
PAGE = os.sysconf("SC_PAGE_SIZE") if hasattr(os, "sysconf") else 4096


def main() -> None:
    """Fork a keeper for each message, until the grader is gone."""
    line = socket.socket(fileno=os.dup(0))
    _forget_standard_streams()
    prepare()
    gc.collect()
    gc.freeze()
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    line.send(json.dumps(visible_folders()).encode())
    while True:
        message, descriptors, _, _ = socket.recv_fds(line, 64, 3)
        if not message:
            return
        _fork_keeper(line, *descriptors)
        for descriptor in descriptors:
            os.close(descriptor)


def _forget_standard_streams() -> None:
    nowhere = os.open(os.devnull, os.O_RDWR)
    for standard in (0, 1):
        os.dup2(nowhere, standard)
    os.close(nowhere)


def _fork_keeper(line: socket.socket, commands: int, replies: int, control: int) -> None:
    """Fork a keeper and write down who it is outside its user namespace."""
    said_reader, said_writer = os.pipe()
    may_reader, may_writer = os.pipe()
    pid = os.fork()
    if pid == 0:
        os.close(said_reader)
        os.close(may_writer)
        line.close()
        _keep(commands, replies, socket.socket(fileno=control), said_writer, may_reader)
    os.close(said_writer)
    os.close(may_reader)
    if os.read(said_reader, 1):
        with contextlib.suppress(OSError):  # the keeper sees that it has no right, and says so
            write_id_maps(pid)
    os.close(said_reader)
    os.close(may_writer)


def _keep(commands: int, replies: int, control: socket.socket, said: int, may: int) -> NoReturn:
    """The keeper: makes the namespaces, forks the runner, watches it, reports its end."""
    try:
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        die_with_parent()
        os.setsid()
        leave_namespaces()
        os.write(said, b"1")
        os.read(may, 1)
        os.close(may)
        inner, inner_end = socket.socketpair()
        runner = os.fork()
        if runner == 0:
            _run(commands, replies, inner_end)
        inner_end.close()
        os.close(commands)
        os.close(replies)
        control.send(json.dumps({"pid": runner}).encode() + b"\n")
        processes = socket.recv_fds(inner, 1, 1)[1]
        control.send(json.dumps(_watch(runner, control, *processes)).encode() + b"\n")
    except BaseException as problem:
        with contextlib.suppress(OSError):
            control.send(json.dumps({"problem": str(problem)}).encode() + b"\n")
    finally:
        os._exit(0)


def _run(commands: int, replies: int, keeper: socket.socket) -> NoReturn:
    """The runner: shuts itself in, hears its limits and files, then serves."""
    try:
        _keep_only(commands, replies, keeper.fileno())
        with os.fdopen(commands, "rb") as heard, os.fdopen(replies, "wb") as spoken:
            try:
                shut_in(Limits().file_mb)
                _show_processes(keeper)
                os.environ.update(HOME=HOME, IPYTHONDIR=f"{HOME}/.ipython", TMPDIR="/tmp")
                limits = receive(heard)
                limit_process(limits, confined=True)
            except (CannotConfine, OSError) as problem:
                spoken.write(json.dumps({"problem": str(problem)}).encode() + b"\n")
                raise
            spoken.write(b"{}\n")
            spoken.flush()
            serve(heard, spoken, limits)
    finally:
        os._exit(0)


def _show_processes(keeper: socket.socket) -> None:
    """Hand the keeper the inner `/proc`: a list of this runner's processes, and of no others."""
    processes = os.open("/proc", os.O_RDONLY | os.O_DIRECTORY)
    socket.send_fds(keeper, [b"1"], [processes])
    os.close(processes)
    keeper.close()


def _keep_only(*descriptors: int) -> None:
    """Close every other descriptor; standard ones lead nowhere."""
    nowhere = os.open(os.devnull, os.O_RDWR)
    for standard in (0, 1, 2):
        os.dup2(nowhere, standard)
    start = 3
    for descriptor in sorted(descriptors):
        os.closerange(start, descriptor)
        start = descriptor + 1
    os.closerange(start, os.sysconf("SC_OPEN_MAX"))


def _watch(runner: int, control: socket.socket, processes: int = -1) -> dict[str, object]:
    """Wait for the runner's end; bring it about when the grader lets go, or memory runs over.

    The first line from the grader is the memory limit, in megabytes.
    """
    limit = int.from_bytes(control.recv(8), "big") * MEGABYTE
    over = False
    pidfd = os.pidfd_open(runner)
    while True:
        ready, _, _ = select.select([pidfd, control.fileno()], [], [], WATCH_SECONDS)
        if pidfd in ready:
            break
        over = processes >= 0 and memory_of(processes) > limit
        if over or control.fileno() in ready:
            os.kill(runner, signal.SIGKILL)
            os.waitid(os.P_PID, runner, os.WEXITED | os.WNOWAIT)
            break
    _, status, used = os.wait4(runner, 0)
    cpu = used.ru_utime + used.ru_stime + time.process_time()
    return {"ended": os.waitstatus_to_exitcode(status), "memory": over, "cpu": round(cpu, 4)}


def memory_of(processes: int) -> int:
    """Bytes of memory, not shared with files, of all processes that this `/proc` lists."""
    total = 0
    for name in os.listdir(processes):
        if not name.isdigit():
            continue
        with contextlib.suppress(OSError):
            statm = os.open(f"{name}/statm", os.O_RDONLY, dir_fd=processes)
            with os.fdopen(statm) as file:
                resident, shared = file.read().split()[1:3]
            total += (int(resident) - int(shared)) * PAGE
    return total


if __name__ == "__main__":
    main()
