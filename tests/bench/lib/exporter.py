# SPDX-License-Identifier: Apache-2.0
"""Debian's process-exporter for comparison: unpacked into the build folder and run on loopback, with
groups by name and PSS from smaps, as in its manual."""
import os
import socket
import subprocess

import bench

PACKAGE = "prometheus-process-exporter"
CONFIG = "process_names:\n  - name: \"{{.Comm}}\"\n    cmdline: ['.+']\n"


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def start(rig):
    """Starts process-exporter. Returns the process and its address; None, after printing the reason,
    if it is not available."""
    part = subprocess.run([os.path.join(bench.SOURCE, "tests/tools/get-part"), PACKAGE], text=True, check=False,
                          capture_output=True, env=os.environ | {"MEMTALLY_BUILD": bench.BUILD})
    if part.returncode:
        print(part.stderr.strip())
        return None
    with open(rig.path("exporter.yml"), "w", encoding="ascii") as file:
        file.write(CONFIG)
    address = ("127.0.0.1", free_port())
    process = rig.start(f"{part.stdout.strip()}/usr/bin/{PACKAGE}", "-config.path", rig.path("exporter.yml"),
                        "-threads=false", "-web.listen-address", "%s:%d" % address)
    rig.await_answer(lambda: bench.get(address, "/")[0] == 200, process, PACKAGE)
    return process, address
