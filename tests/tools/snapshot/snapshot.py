# SPDX-License-Identifier: Apache-2.0
"""A reader of snapshots that shares no code with the project's own. Returns rows as the JSON would
show them.

It takes the order of the quantities from snapshot/record.h. The layout of rows and header is
repeated here, so that tests notice if either changes.
"""
import array
import fcntl
import os
import re
import socket
import struct
import time

SOURCE = os.environ.get("MEMTALLY_SOURCE") or os.path.abspath(
    os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../.."))

HEADER = struct.Struct("=8sIHHIIQ16sQQQQQQQQ")
SECTION = struct.Struct("=IIQQ")
SCOPE = struct.Struct("=IIIIIIQQ")
PROCESS = struct.Struct("=IIII16IBBHIQ")
SELF = struct.Struct("=IIQ")
HOLDING = struct.Struct("=IIIIQ")
FILE = struct.Struct("=IIIIQQ")
HOLDINGS = ("shmem", "tmpfs")
BYTE_ORDER = 0x01020304
SEALS = 1 | 2 | 4 | 8  # seal, shrink, grow, write
F_GET_SEALS = 1034

SECTIONS = {1: "strings", 2: "host", 3: "processes", 4: "self", 5: "histograms", 6: "balance", 7: "holdings",
            24: "survey", 25: "files"}
FIRST_OWNERS = 8
# Kinds of owners that every process has. A process without an owner of another kind belongs to
# (none), and its row does not say so.
ALWAYS = ("user", "group", "program", "unit")
NONE = "(none)"
TIMES = {"start_time": "start_time_seconds", "pss_age": "age_seconds", "elapsed": "elapsed_seconds",
         "seen": "seen_seconds", "cgroup_age": "cgroup_age_seconds", "oldest_start": "oldest_start_time_seconds"}
SPANS = ("memory_waiting", "memory_stalled")  # counters of nanoseconds
COUNTS = ("processes", "threads")
REALS = ("anon_slope", "anon_slope_error")


class Broken(Exception):
    """The image is invalid."""


def enumerators(name):
    """Returns the enumerators of enum NAME in snapshot/record.h, in order, without their common
    prefix."""
    with open(os.path.join(SOURCE, "snapshot", "record.h"), encoding="utf-8") as file:
        text = re.sub(r"/\*.*?\*/", "", file.read(), flags=re.S)
    body = re.search(rf"enum {name} \{{(.*?)\}};", text, re.S).group(1)
    return [word.split("=")[0].strip() for word in body.split(",") if word.strip()]


def field_name(enumerator):
    """Returns the JSON name of an enumerator such as PROCESS_PSS_ANON."""
    name = enumerator.split("_", 1)[1].lower()
    if name in ("pss_byte_seconds", "naming_failures", "oom_kills") or name.endswith("_events"):
        return name + "_total"
    if name in SPANS:
        return name + "_seconds_total"
    if name.endswith("_growth"):
        return name + "_bytes_total"
    if name in TIMES:
        return TIMES[name]
    if name in REALS:
        return name + "_bytes_per_second"
    return name if name in COUNTS or name.startswith("unmeasured_") else name + "_bytes"


def value_of(name, raw):
    if name == "pss_byte_seconds_total" or name.endswith("_bytes_per_second"):
        return struct.unpack("=d", struct.pack("=Q", raw))[0]
    if name in TIMES.values() or name.removesuffix("_seconds_total") in SPANS:
        return raw / 1e9
    return raw


def signed(raw):
    return raw - (1 << 64) if raw >> 63 else raw


class Header:
    """The header of an image."""

    def __init__(self, data):
        (magic, order, self.major, self.minor, self.size, self.section_count, self.image_size, instance,
         self.sequence, self.flags, self.realtime_ns, self.boottime_ns, self.stale_ns, self.interval_ns,
         self.begin_ns, self.userns) = HEADER.unpack_from(data)
        self.instance = instance.hex()
        if magic != b"MEMTALLY" or order != BYTE_ORDER or self.major != 2:
            raise Broken("no image of this version")


class Image:
    """The rows of an image."""

    def __init__(self, data):
        self.data = data
        self.header = Header(data)
        if self.header.image_size != len(data) or self.header.size != HEADER.size:
            raise Broken("sizes do not agree")
        self.scope_fields = [field_name(e) for e in enumerators("scope_quantity")[:-1]]
        self.process_fields = [field_name(e) for e in enumerators("process_quantity")[:-1]]
        self.outcomes = [e.split("_", 1)[1].lower().replace("_", "-") for e in enumerators("process_outcome")[:-1]]
        self.sources = [e.split("_", 1)[1].lower() for e in enumerators("process_source")[:-1]]
        self.self_names = self._self_names()
        self.owners = [e.split("_", 1)[1].lower() for e in enumerators("owner_kind")[:-1]]
        self.owner_lists = {FIRST_OWNERS + i: name + "s" for i, name in enumerate(self.owners)}
        # The enumerator that is the number of lines is no line.
        self.balance_names = [e.split("_", 1)[1].lower() for e in enumerators("balance_quantity")[:-1]
                              if e != "BALANCE_LINES"]
        self.holding_names = [[e.split("_", 1)[1].lower() for e in enumerators(f"{kind}_quantity")[:-1]]
                              for kind in HOLDINGS]
        self.survey_names, self.file_names = ([e.split("_", 1)[1].lower() for e in enumerators(f"{kind}_quantity")[:-1]]
                                              for kind in ("survey", "file"))
        self._read_sections()

    def _self_names(self):
        names = []
        for enumerator in enumerators("self_quantity")[:-1]:
            name = enumerator.split("_", 1)[1].lower()
            if name == "outcome_first":
                # "blocked" is newer than the quantities behind these, and is at their end.
                names += [f"outcome {outcome}" for outcome in self.outcomes[:self.outcomes.index("error") + 1]]
            elif name == "charge_first":
                names += [f"charge {e.split('_', 1)[1].lower()}" for e in enumerators("charge_outcome")[:-1]]
            elif name == "outcome_blocked":
                names.append("outcome blocked")
            elif name not in ("outcome_last", "charge_last"):
                names.append(name)
        return names

    def _read_sections(self):
        self.section = {}
        for i in range(self.header.section_count):
            kind, stride, offset, count = SECTION.unpack_from(self.data, HEADER.size + i * SECTION.size)
            if offset + stride * count > len(self.data):
                raise Broken(f"section {kind} ends outside")
            name = SECTIONS.get(kind) or self.owner_lists.get(kind)
            if name:
                self.section[name] = (stride, offset, count)

    def text(self, reference):
        _, offset, size = self.section["strings"]
        end = self.data.index(b"\0", offset + reference, offset + size)
        return self.data[offset + reference:end].decode("utf-8")

    def offsets(self, section):
        stride, offset, count = self.section.get(section, (0, 0, 0))
        return range(offset, offset + stride * count, stride) if count else ()

    def quantities(self, at, present, names):
        row = {}
        for i, name in enumerate(names):
            if present >> i & 1:
                row[name] = value_of(name, struct.unpack_from("=Q", self.data, at + 8 * i)[0])
        return row

    def scopes(self, section, key):
        rows = []
        for at in self.offsets(section):
            name, uid, flags, above, user, _, created, present = SCOPE.unpack_from(self.data, at)
            row = {key: self.text(name)} if key else {}
            row |= {"above": self.text(above)} if above else {}
            row |= {"user": self.text(user)} if user else {}
            if key == "user":
                row["uid"] = uid
            quantities = self.quantities(at + SCOPE.size, present, self.scope_fields)
            rss = {name.removeprefix("unmeasured_rss_"): quantities.pop(name)
                   for name in list(quantities) if name.startswith("unmeasured_rss_")}
            unmeasured = {name.removeprefix("unmeasured_"): quantities.pop(name)
                          for name in list(quantities) if name.startswith("unmeasured_")}
            row |= quantities | {"unmeasured_processes": unmeasured, "created_ns": created}
            row |= {"unmeasured_rss_bytes": rss} if rss else {}
            rows.append(row | {"exported": bool(flags & 1), "other": bool(flags & 2)})
        return rows

    def processes(self):
        rows = []
        for at in self.offsets("processes"):
            pid, uid, mm_pid, gid, *owners, source, outcome, flags, ppid, present = PROCESS.unpack_from(self.data, at)
            row = {"pid": pid, "uid": uid, "gid": gid, "source": self.sources[source], "reason": self.outcomes[outcome],
                   "exported": bool(flags & 1)}
            names = {kind: self.text(name) for kind, name in zip(self.owners, owners)}
            row |= {kind: name for kind, name in names.items() if kind in ALWAYS or name != NONE}
            if ppid:
                row["ppid"] = ppid
            if mm_pid:
                row["mm_pid"] = mm_pid
            rows.append(row | self.quantities(at + PROCESS.size, present, self.process_fields))
        return rows

    def balance(self):
        """Returns each line of the host's balance sheet by its name in snapshot/record.h, the residual
        with its sign."""
        for at in self.offsets("balance"):
            present = struct.unpack_from("=Q", self.data, at)[0]
            return {name: signed(raw) for name, raw in self.quantities(at + 8, present, self.balance_names).items()}
        return {}

    def holdings(self, kind):
        rows = []
        for at in self.offsets("holdings"):
            found, name, uid, _, present = HOLDING.unpack_from(self.data, at)
            if found == kind:
                rows.append({"name": self.text(name), "uid": uid}
                            | self.quantities(at + HOLDING.size, present, self.holding_names[kind]))
        return rows

    def survey(self):
        """Returns the header of the last survey of mapped files; None before the first one."""
        for at in self.offsets("survey"):
            return self.quantities(at + 8, struct.unpack_from("=Q", self.data, at)[0], self.survey_names)
        return None

    def files(self):
        rows = []
        for at in self.offsets("files"):
            path, flags, major, minor, inode, present = FILE.unpack_from(self.data, at)
            rows.append({"path": self.text(path), "deleted": bool(flags & 1), "executable": bool(flags & 2),
                         "device": f"{major:x}:{minor:x}", "inode": inode}
                        | self.quantities(at + FILE.size, present, self.file_names))
        return rows

    def own(self):
        at = self.offsets("self")[0]
        version, flags, present = SELF.unpack_from(self.data, at)
        values = self.quantities(at + SELF.size, present, self.self_names)
        outcomes = {name.split(" ")[1]: values.pop(name) for name in list(values) if name.startswith("outcome ")}
        charges = {name.split(" ")[1]: values.pop(name) for name in list(values) if name.startswith("charge ")}
        # As in rows, "measured" counts all processes with a PSS. The numbers of estimated and
        # guessed ones are separate.
        outcomes["measured"] += values.get("outcome_estimated", 0) + values.get("outcome_guessed", 0)
        return values | {"version": self.text(version), "flags": flags, "outcomes": outcomes} | (
            {"cgroup_charges": charges} if charges else {})

    def as_json(self):
        """Returns one object with all that /api/v1 spreads over its lists."""
        head = self.header
        return {
            "snapshot": {"instance": head.instance, "sequence": head.sequence, "complete": bool(head.flags & 1),
                         "public": bool(head.flags & 2), "brief": bool(head.flags & 4),
                         "stale_seconds": (head.stale_ns - head.boottime_ns) / 1e9, "interval_seconds": head.interval_ns / 1e9,
                         "begin_boottime_seconds": head.begin_ns / 1e9,
                         "pass_seconds": (head.boottime_ns - head.begin_ns) / 1e9},
            "host": self.scopes("host", None)[0],
            "other": {name + "s": row for name in self.owners for row in self.scopes(name + "s", "name") if row["other"]},
            "processes": self.processes(),
            "self": self.own(),
            "balance": self.balance(),
            "survey": self.survey(),
            "files": self.files(),
            **{kind: self.holdings(i) for i, kind in enumerate(HOLDINGS)},
        } | {name + "s": [row for row in self.scopes(name + "s", name) if not row["other"]] for name in self.owners}


class Client:
    """A connection to memtallyd's socket."""

    def __init__(self, path, patience=30):
        end = time.monotonic() + patience
        while True:
            self.socket = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
            try:
                self.socket.connect(path)
                break
            except (FileNotFoundError, ConnectionRefusedError):
                self.socket.close()
                if time.monotonic() > end:
                    raise
                time.sleep(0.05)
        self.socket.settimeout(patience)

    def receive_file(self):
        """Returns the file of the next image. All clients share its offset, so do not use the offset.
        """
        rights = array.array("i")
        data, ancillary, _, _ = self.socket.recvmsg(64, socket.CMSG_SPACE(rights.itemsize))
        if not data:
            raise EOFError("memtallyd has closed the connection")
        for level, kind, payload in ancillary:
            if level == socket.SOL_SOCKET and kind == socket.SCM_RIGHTS:
                rights.frombytes(payload)
        if len(rights) != 1:
            raise Broken(f"a message with {len(rights)} descriptors")
        return os.fdopen(rights[0], "rb")

    def receive(self):
        """Returns the next image."""
        with self.receive_file() as file:
            if fcntl.fcntl(file, F_GET_SEALS) & SEALS != SEALS:
                raise Broken("the image is not sealed")
            return Image(os.pread(file.fileno(), os.fstat(file.fileno()).st_size, 0))

    def receive_header(self):
        """Returns the header of the next image only, which costs next to nothing."""
        with self.receive_file() as file:
            return Header(os.pread(file.fileno(), HEADER.size, 0))

    def receive_fresh(self):
        """Returns the next image of a pass that begins after this call."""
        now = time.clock_gettime_ns(time.CLOCK_BOOTTIME)
        while True:
            image = self.receive()
            if image.header.begin_ns >= now:
                return image

    def close(self):
        self.socket.close()
