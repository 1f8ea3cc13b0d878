# SPDX-License-Identifier: Apache-2.0
"""Publishes images with other times to memtally-recorder, in memtallyd's place."""
import fcntl
import os
import socket
import struct
import time

import snapshot
from past import COVERAGE, Past

F_ADD_SEALS = 1033
SEQUENCE, REALTIME = 8, 10  # fields of snapshot.HEADER


def move(data, number, at_ns, moved):
    """Returns the image DATA as snapshot NUMBER of AT_NS. MOVED gives the new start of a process for
    its start; both in ns since 1970."""
    image, data = snapshot.Image(data), bytearray(data)
    head = list(snapshot.HEADER.unpack_from(data))
    head[SEQUENCE], head[REALTIME] = number, at_ns
    snapshot.HEADER.pack_into(data, 0, *head)
    rows = [(at + snapshot.PROCESS.size, image.process_fields.index("start_time_seconds")) for at in image.offsets("processes")]
    for name in image.owners:
        rows += [(at + snapshot.SCOPE.size, image.scope_fields.index("oldest_start_time_seconds"))
                 for at in image.offsets(name + "s")]
    for at, index in rows:
        if struct.unpack_from("=Q", data, at - 8)[0] >> index & 1:
            start_ns = struct.unpack_from("=Q", data, at + 8 * index)[0]
            struct.pack_into("=Q", data, at + 8 * index, moved(start_ns))
    return data


class Replay:
    """A socket as memtallyd's, with memtally-recorder as its client."""

    def __init__(self, path, recorder):
        """PATH is of the socket. RECORDER is of memtally-recorder's socket."""
        self.server = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self.server.bind(path)
        os.chmod(path, 0o666)
        self.server.listen(1)
        self.recorder, self.connection, self.number = recorder, None, 0

    def accept(self):
        """Waits for memtally-recorder."""
        self.connection, _ = self.server.accept()

    def publish(self, data, at_ns, moved):
        """Publishes the image DATA as the next snapshot, of AT_NS, and waits until it is recorded: see
        move()."""
        self.number += 1
        fd = os.memfd_create("image", os.MFD_ALLOW_SEALING | os.MFD_CLOEXEC)
        os.write(fd, move(data, self.number, at_ns, moved))
        fcntl.fcntl(fd, F_ADD_SEALS, snapshot.SEALS)
        socket.send_fds(self.connection, [b"\0"], [fd])
        os.close(fd)
        recording = Past(self.recorder)  # which ends connections that are idle for some seconds
        end = time.monotonic() + 60
        while recording.ask(COVERAGE).last_ns != at_ns:
            assert time.monotonic() < end, f"snapshot {self.number} is not recorded"
            time.sleep(0.002)
