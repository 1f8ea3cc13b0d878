# SPDX-License-Identifier: Apache-2.0
"""A strict reader of Prometheus text (0.0.4) and OpenMetrics (1.0.0). Reports each fault with its
line.

It is stricter than Prometheus: what Prometheus silently drops or accepts twice is an error here.
"""
import math
import re

NAME = re.compile(r"[a-zA-Z_:][a-zA-Z0-9_:]*")
LABEL_NAME = re.compile(r"[a-zA-Z_][a-zA-Z0-9_]*")
NUMBER = re.compile(r"[+-]?(?:(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?|Inf)|NaN")
TIMESTAMP = re.compile(r"-?\d+(?:\.\d+)?")
TYPES_TEXT = {"counter", "gauge", "histogram", "summary", "untyped"}
TYPES_OPENMETRICS = {"counter", "gauge", "histogram", "summary", "unknown", "info", "stateset",
                     "gaugehistogram"}
# Suffixes that the samples of a family may have.
SUFFIXES_TEXT = {"counter": ("",), "gauge": ("",), "untyped": ("",), "summary": ("", "_sum", "_count"),
                 "histogram": ("_bucket", "_sum", "_count")}
SUFFIXES_OPENMETRICS = {"counter": ("_total", "_created"), "gauge": ("",), "unknown": ("",),
                        "info": ("_info",), "stateset": ("",),
                        "summary": ("", "_sum", "_count", "_created"),
                        "histogram": ("_bucket", "_sum", "_count", "_created"),
                        "gaugehistogram": ("_bucket", "_gsum", "_gcount")}
# Characters that a terminal or a browser executes instead of showing.
OBEYED = re.compile("[\x00-\x09\x0b-\x1f\x7f-\x9f\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069\ufeff]")


class Sample:
    def __init__(self, line, name, labels, text):
        self.line, self.name, self.labels, self.text = line, name, labels, text
        self.value = float(text.replace("Inf", "inf").replace("NaN", "nan"))

    def key(self, without=()):
        return tuple(sorted(pair for pair in self.labels.items() if pair[0] not in without))


class Family:
    def __init__(self, name):
        self.name = name
        self.type = self.help = self.unit = None
        self.samples = []
        self.closed = False


class Malformed(Exception):
    """A line of no known form."""


class Cursor:
    """A position in a line."""

    def __init__(self, text):
        self.text, self.at = text, 0

    def take(self, pattern, what):
        match = pattern.match(self.text, self.at)
        if not match:
            raise Malformed(f"{what} expected at column {self.at + 1}")
        self.at = match.end()
        return match.group()

    def skip(self, literal):
        if not self.text.startswith(literal, self.at):
            raise Malformed(f"{literal!r} expected at column {self.at + 1}")
        self.at += len(literal)

    def peek(self):
        return self.text[self.at:self.at + 1]


def unescape(cursor, allowed):
    """Returns a label's value up to its closing quote."""
    value = ""
    while (char := cursor.peek()) != '"':
        if not char:
            raise Malformed("a label's value without end")
        cursor.at += 1
        if char == "\\":
            escape = cursor.peek()
            if not escape or escape not in allowed:
                raise Malformed(f"escape \\{escape} is not known")
            cursor.at += 1
            char = "\n" if escape == "n" else escape
        value += char
    cursor.at += 1
    return value


def parse_labels(cursor):
    labels = {}
    cursor.skip("{")
    while cursor.peek() != "}":
        if labels:
            cursor.skip(",")
        name = cursor.take(LABEL_NAME, "a label's name")
        cursor.skip('="')
        value = unescape(cursor, '\\"n')
        if name in labels:
            raise Malformed(f"label {name} twice")
        if name.startswith("__"):
            raise Malformed(f"label {name} is reserved")
        labels[name] = value
    cursor.skip("}")
    return labels


def parse_sample(number, line):
    cursor = Cursor(line)
    name = cursor.take(NAME, "a metric's name")
    labels = parse_labels(cursor) if cursor.peek() == "{" else {}
    cursor.skip(" ")
    value = cursor.take(NUMBER, "a number")
    if cursor.peek() == " ":
        cursor.skip(" ")
        cursor.take(TIMESTAMP, "a time")
    if cursor.peek():
        raise Malformed(f"nothing more expected at column {cursor.at + 1}")
    return Sample(number, name, labels, value)


class Exposition:
    """A body: .families by name, .problems as lines of text."""

    def __init__(self, body, openmetrics):
        self.openmetrics = openmetrics
        self.families = {}
        self.problems = []
        self.current = None
        self.types = TYPES_OPENMETRICS if openmetrics else TYPES_TEXT
        self.suffixes = SUFFIXES_OPENMETRICS if openmetrics else SUFFIXES_TEXT
        text = self.decode(body)
        if text is not None:
            self.read(text)
            self.check()

    def problem(self, line, message):
        self.problems.append(f"{line}: {message}")

    def decode(self, body):
        try:
            text = body.decode("utf-8")
        except UnicodeDecodeError as error:
            self.problem(body.count(b"\n", 0, error.start) + 1, "no valid UTF-8")
            return None
        if not text.endswith("\n"):
            self.problem(text.count("\n") + 1, "the last line has no end")
        return text

    def read(self, text):
        lines = text.removesuffix("\n").split("\n")
        if self.openmetrics:
            if lines[-1] == "# EOF":
                lines.pop()
            else:
                self.problem(len(lines), "# EOF is missing at the end")
        for number, line in enumerate(lines, 1):
            if obeyed := OBEYED.search(line):
                self.problem(number, f"raw control character U+{ord(obeyed.group()):04X}")
            try:
                self.read_line(number, line)
            except Malformed as error:
                self.problem(number, str(error))

    def read_line(self, number, line):
        if line.startswith("#"):
            self.read_comment(number, line)
        elif line:
            self.add_sample(parse_sample(number, line))
        elif self.openmetrics:
            raise Malformed("an empty line")

    def read_comment(self, number, line):
        words = line.split(" ", 3)
        keywords = ("HELP", "TYPE", "UNIT") if self.openmetrics else ("HELP", "TYPE")
        if words[0] != "#" or len(words) < 2 or words[1] not in keywords:
            raise Malformed("an unknown comment" if words[1:] != ["EOF"] else "# EOF in the wrong place")
        if len(words) < 4 or not NAME.fullmatch(words[2]):
            raise Malformed(f"# {words[1]} without name or text")
        self.describe(number, words[1].lower(), words[2], words[3])

    def describe(self, number, what, name, text):
        family = self.enter(number, name)
        if getattr(family, what) is not None:
            raise Malformed(f"{what.upper()} of {name} twice")
        if family.samples:
            raise Malformed(f"{what.upper()} of {name} after its samples")
        setattr(family, what, text)
        if what == "type" and text not in self.types:
            raise Malformed(f"type {text} is not known")
        if what == "unit" and not name.endswith("_" + text):
            raise Malformed(f"{name} does not end in its unit {text}")
        if what == "help" and re.search(r"\\[^\\n" + ('"' if self.openmetrics else "") + r"]|\\$",
                                        text.replace("\\\\", "")):
            raise Malformed("an unknown escape in HELP")

    def enter(self, number, name):
        """Returns family NAME, which continues or begins on this line."""
        family = self.families.get(name)
        if family is None:
            family = self.families[name] = Family(name)
        elif family.closed:
            self.problem(number, f"{name} goes on after another family")
            family.closed = False
        if self.current not in (None, family):
            self.current.closed = True
        self.current = family
        return family

    def family_of(self, name):
        """Returns the family that may have a sample called NAME; None: there is none."""
        for suffix in ("", "_total", "_created", "_bucket", "_sum", "_count", "_info", "_gsum", "_gcount"):
            family = self.families.get(name.removesuffix(suffix)) if name.endswith(suffix) else None
            if family and family.type and suffix in self.suffixes.get(family.type, ("",)):
                return family
        return None

    def add_sample(self, sample):
        family = self.family_of(sample.name)
        if family is None:
            if sample.name in self.families and self.families[sample.name].type:
                raise Malformed(f"{sample.name} is no name for a sample of its family")
            raise Malformed(f"{sample.name} has no TYPE before it")
        self.enter(sample.line, family.name)
        family.samples.append(sample)

    def check(self):
        seen = {}
        for family in self.families.values():
            line = family.samples[0].line if family.samples else 0
            if family.type is None or family.help is None:
                self.problem(line, f"{family.name} lacks TYPE or HELP")
            if family.type == "counter" and not self.openmetrics and not family.name.endswith("_total"):
                self.problem(line, f"counter {family.name} does not end in _total")
            for sample in family.samples:
                self.check_sample(family, sample, seen)
            if family.type == "histogram":
                self.check_histogram(family)
        self.check_clashes()

    def check_sample(self, family, sample, seen):
        key = (sample.name, sample.key())
        if key in seen:
            self.problem(sample.line, f"the same sample as in line {seen[key]}")
        seen[key] = sample.line
        counts = family.type == "counter" or sample.name.endswith(("_bucket", "_count"))
        if counts and family.type in ("counter", "histogram", "summary") and not 0 <= sample.value < math.inf:
            self.problem(sample.line, "a count that is negative or no finite number")

    def check_clashes(self):
        """Reports samples that belong to two families by their names."""
        for family in self.families.values():
            for suffix in self.suffixes.get(family.type, ("",)):
                other = self.families.get(family.name + suffix) if suffix else None
                if other:
                    self.problem(other.samples[0].line if other.samples else 0,
                                 f"{other.name} clashes with a sample of {family.name}")

    def check_histogram(self, family):
        groups = {}
        for sample in family.samples:
            groups.setdefault(sample.key(("le",)), []).append(sample)
        for samples in groups.values():
            self.check_buckets(family, samples)

    def check_buckets(self, family, samples):
        line = samples[0].line
        buckets = [sample for sample in samples if sample.name == family.name + "_bucket"]
        values = {name: [s for s in samples if s.name == family.name + name] for name in ("_sum", "_count")}
        if len(values["_sum"]) != 1 or len(values["_count"]) != 1:
            self.problem(line, f"{family.name} lacks _sum or _count")
            return
        try:
            bounds = [float(bucket.labels["le"].replace("Inf", "inf")) for bucket in buckets]
        except (KeyError, ValueError):
            self.problem(line, f"{family.name} has a bucket without a number in le")
            return
        if not bounds or bounds[-1] != math.inf:
            self.problem(line, f"{family.name} has no last bucket +Inf")
        elif buckets[-1].value != values["_count"][0].value:
            self.problem(buckets[-1].line, "bucket +Inf differs from _count")
        if any(a >= b for a, b in zip(bounds, bounds[1:])):
            self.problem(line, f"the bounds of {family.name} do not rise")
        if any(a.value > b.value for a, b in zip(buckets, buckets[1:])):
            self.problem(line, f"the buckets of {family.name} fall")

    def samples(self):
        return [sample for family in self.families.values() for sample in family.samples]
