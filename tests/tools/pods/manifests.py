# SPDX-License-Identifier: Apache-2.0
"""Rendered Kubernetes manifests: reading them, and the objects that tests need."""
import yaml


class Fault(Exception):
    """A rule that a manifest breaks."""


def require(condition, what):
    if not condition:
        raise Fault(what)


class Manifests:
    """The objects of one rendering."""

    def __init__(self, path):
        with open(path, encoding="utf-8") as file:
            self.objects = [o for o in yaml.safe_load_all(file) if o]

    def all(self, kind):
        return [o for o in self.objects if o["kind"] == kind]

    def one(self, kind, name):
        found = [o for o in self.all(kind) if o["metadata"]["name"] == name]
        require(len(found) == 1, f"there are {len(found)} objects {kind} {name}")
        return found[0]

    @property
    def template(self):
        return self.one("DaemonSet", "memtally")["spec"]["template"]

    @property
    def pod(self):
        return self.template["spec"]

    def container(self, name):
        found = [c for c in self.pod["containers"] if c["name"] == name]
        require(len(found) == 1, f"there are {len(found)} containers {name}")
        return found[0]
