# SPDX-License-Identifier: Apache-2.0
"""A client of memtally-recorder's socket that shares no code with the project's own."""
import array
import os
import socket
import struct

REQUEST = struct.Struct("=8sIIQQQQIIIIQ56s1024s")
HEAD = struct.Struct("=8sIIIIQQQQQQQ12H24s")
POINT = struct.Struct("=QIIQQQ")
AT, BEFORE, AFTER, OOM, COVERAGE, MARKS, SERIES, GROWTH = range(1, 9)
GOOD, BAD_REQUEST, NONE, DAMAGED, BUSY = range(5)
MARK_OOM, MARK_PRESSURE, MARK_START, MARK_GAP = 1, 2, 4, 8
OWN_ONLY, FAILING, CUT, HAS_GROWTH = 1, 2, 4, 8
NO_UID = 0xffffffff
LAST = (1 << 63) - 1
FIELDS = ("status", "flags", "points", "marks", "first_ns", "last_ns", "at_ns", "before_ns", "after_ns", "oom_ns", "lost")


class Answer:
    """An answer: the fields of its head, which .head has all, .point (a list) and .image (bytes, or None)."""

    def __init__(self, data, image):
        magic, *values, rest = HEAD.unpack_from(data)
        if magic != b"MTPASTA1" or any(rest):
            raise ValueError("no answer of memtally-recorder's")
        self.head = dict(zip(FIELDS, values))
        self.__dict__.update(self.head)
        # Of users, programs, units and processes: how many have the verdict none, watch and leak.
        self.growth = values[len(FIELDS):]
        self.point = [POINT.unpack_from(data, HEAD.size + i * POINT.size) for i in range(self.points)]
        self.image = image


class Past:
    """A connection to memtally-recorder."""

    def __init__(self, path, patience=30):
        self.socket = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self.socket.settimeout(patience)
        self.socket.connect(path)

    def ask(self, pick, at=0, until=0, uid=None, step=0, scope=0, quantity=0, pid=0, start=0, name=""):
        self.socket.send(REQUEST.pack(b"MTPASTQ1", pick, int(uid is not None), at, until, step, uid or 0, scope, quantity,
                                      pid, 0, start, b"", name.encode()))
        return self.receive()

    def receive(self):
        rights = array.array("i")
        data, ancillary, _, _ = self.socket.recvmsg(1 << 17, socket.CMSG_SPACE(rights.itemsize))
        if not data:
            raise EOFError("memtally-recorder has closed the connection")
        for level, kind, payload in ancillary:
            if level == socket.SOL_SOCKET and kind == socket.SCM_RIGHTS:
                rights.frombytes(payload)
        image = None
        for fd in rights:
            with os.fdopen(fd, "rb") as file:
                image = os.pread(fd, os.fstat(file.fileno()).st_size, 0)
        return Answer(data, image)
