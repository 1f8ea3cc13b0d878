# SPDX-License-Identifier: Apache-2.0
"""Requests to a server at a steady rate, until killed.

   traffic.py http|fcgi|redis ADDRESS RATE THREADS [WORD...]

ADDRESS is the path of a UNIX socket or a port of 127.0.0.1. Each thread has one request under way
at a time; failed requests are dropped. WORDs for http are paths, of which each request takes one at
random; for fcgi, the file of the script; for redis, the number of keys and the bytes of a value:
after all keys are set, requests overwrite some of them, and every 20 s the server saves its memory
to disk (BGSAVE).
"""
import os
import random
import socket
import struct
import sys
import threading
import time

SAVE_SECONDS = 20


def connect(address):
    kind = socket.AF_INET if address.isdigit() else socket.AF_UNIX
    connection = socket.socket(kind)
    connection.settimeout(60)
    connection.connect(("127.0.0.1", int(address)) if address.isdigit() else address)
    return connection


def drain(connection):
    while connection.recv(1 << 16):
        pass


def ask_http(address, paths):
    with connect(address) as connection:
        connection.sendall(f"GET {random.choice(paths)} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n".encode())
        drain(connection)


def fcgi_record(kind, content):
    return struct.pack("!BBHHBx", 1, kind, 1, len(content), 0) + content


def fcgi_length(length):
    return struct.pack("!B", length) if length < 128 else struct.pack("!I", length | 1 << 31)


def ask_fcgi(address, words):
    names = {"SCRIPT_FILENAME": words[0], "REQUEST_METHOD": "GET", "QUERY_STRING": f"n={random.randrange(1000)}"}
    pairs = b"".join(fcgi_length(len(name)) + fcgi_length(len(value)) + (name + value).encode()
                     for name, value in names.items())
    with connect(address) as connection:
        connection.sendall(fcgi_record(1, struct.pack("!HB5x", 1, 0)) + fcgi_record(4, pairs) + fcgi_record(4, b"")
                           + fcgi_record(5, b""))
        drain(connection)


class Redis:
    """One connection that is kept; sends many commands at a time."""

    def __init__(self, keys, value_bytes):
        self.keys, self.value_bytes, self.connection, self.save_at = int(keys), int(value_bytes), None, 0

    def _send(self, commands):
        """Sends COMMANDS and waits for a line of answer to each."""
        self.connection.sendall(b"".join(
            b"*%d\r\n" % len(words) + b"".join(b"$%d\r\n%s\r\n" % (len(word), word) for word in words)
            for words in commands))
        lines = 0
        while lines < len(commands):
            lines += self.connection.recv(1 << 16).count(b"\n")

    def _set(self, keys):
        self._send([(b"SET", b"key:%d" % key, os.urandom(self.value_bytes // 2).hex().encode()) for key in keys])

    def ask(self, address, _):
        if not self.connection:
            self.connection = connect(address)
            for first in range(0, self.keys, 1000):
                self._set(range(first, min(first + 1000, self.keys)))
            self.save_at = time.monotonic() + SAVE_SECONDS / 2
        self._set([random.randrange(self.keys) for _ in range(50)])
        if time.monotonic() > self.save_at:
            self._send([(b"BGSAVE",)])
            self.save_at += SAVE_SECONDS


def repeat(ask, address, rate, words):
    """Sends requests at RATE a second. Late requests are skipped."""
    due = time.monotonic() + random.random() / rate
    while True:
        time.sleep(max(0, due - time.monotonic()))
        try:
            ask(address, words)
        except OSError:
            pass
        due = max(due + random.expovariate(rate), time.monotonic())


def main():
    kind, address, rate, threads, *words = sys.argv[1:]
    ask = Redis(*words).ask if kind == "redis" else {"http": ask_http, "fcgi": ask_fcgi}[kind]
    count = int(threads)
    for _ in range(count - 1):
        threading.Thread(target=repeat, args=(ask, address, float(rate) / count, words), daemon=True).start()
    repeat(ask, address, float(rate) / count, words)


if __name__ == "__main__":
    main()
