# SPDX-License-Identifier: Apache-2.0
"""Loads: programs from Debian at work, in a table with a row for each load.

Each load has a folder and users of its own, which are numbers without accounts. Servers listen on
UNIX sockets in their folder, or, if they cannot, on loopback. A load makes its own work, or
tests/bench/lib/traffic.py sends requests to its server, as another user.
"""
import glob
import os
import shutil
import socket
import subprocess
import sys
from collections import namedtuple

import adaptive
import programs

HERE = os.path.dirname(os.path.abspath(__file__))
# Ten uids for each row of the table, after those of programs.py.
FIRST_UID = adaptive.FIRST_UID + 6000
UIDS_EACH = 10
PYTHON = "/usr/bin/python3"
REDIS = "/usr/bin/redis-check-rdb"


class Place:
    """The rig, uid, folder and memory scale of a load."""

    def __init__(self, rig, name, uid, scale):
        self.rig, self.name, self.uid, self.scale = rig, name, uid, scale
        self.folder = programs.own_folder(rig, name, uid)
        os.chmod(self.folder, 0o755)
        self.main = None  # the process that must not exit

    def mib(self, mib):
        """Returns MIB at full scale, scaled."""
        return max(1, round(mib * self.scale))

    def path(self, name):
        return os.path.join(self.folder, name)

    def write(self, name, text, mode=0o644):
        path = self.path(name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        os.chmod(path, mode)
        programs.give(self.folder, self.uid)
        return path

    def alias(self, program, name):
        """Returns another name for PROGRAM, so that other processes that run it do not count as the
        load's."""
        path = self.path(name)
        os.symlink(program, path)
        return path

    def _own(self, uid):
        return {"user": uid, "cwd": self.folder,
                "env": {"HOME": self.folder, "TMPDIR": self.folder, "PATH": "/usr/bin:/bin:/usr/sbin", "LANG": "C.UTF-8",
                        "SHELL": "/bin/sh", "TERM": "linux"}}

    def start(self, *command, uid=None, **other):
        process = self.rig.start(*command, **self._own(uid or self.uid), **other)
        self.main = self.main or process
        return process

    def run(self, *command, uid=None):
        """Runs COMMAND and waits for its exit, which must be successful."""
        process = self.rig.start(*command, **self._own(uid or self.uid))
        if process.wait():
            sys.exit(f"{self.name}: {command[0]} failed: {self.rig.log(os.path.basename(command[0]))}")
        self.rig.running.remove(process)

    def ask(self, kind, address, rate, threads, *words):
        """Sends requests to the load's server: see traffic.py. Copies traffic.py, since only root may
        be able to read the source."""
        with open(os.path.join(HERE, "traffic.py"), encoding="utf-8") as file:
            script = self.write("traffic.py", file.read())
        self.start(self.alias(PYTHON, "traffic-load"), script, kind, str(address), str(rate), str(threads),
                   *map(str, words), uid=self.uid + UIDS_EACH - 1)

    def await_socket(self, address, seconds=60):
        """Waits until a server listens at ADDRESS, a path or a port of loopback."""
        def answers():
            with socket.socket(socket.AF_INET if isinstance(address, int) else socket.AF_UNIX) as one:
                one.connect(("127.0.0.1", address) if isinstance(address, int) else address)
            return True
        self.rig.await_answer(answers, self.main, self.name, seconds)

    def await_processes(self, count, seconds=60):
        """Waits until the load's users have COUNT processes."""
        uids = range(self.uid, self.uid + UIDS_EACH)
        self.rig.await_answer(lambda: len(programs.pids_of(uids)) >= count, self.main, self.name, seconds)


def free_port():
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


BUILD_SOURCE = """#include <stdio.h>
#include <stdlib.h>
#include <string.h>
%s
"""
BUILD_FUNCTION = """struct s%(i)d { char name[32]; long v[%(i)d + 4]; struct s%(i)d *next; };
long f%(n)d_%(i)d(struct s%(i)d *s, const char *t)
{
	long sum = 0;
	for (; s; s = s->next)
		for (int i = 0; i < %(i)d + 4; i++)
			switch ((s->v[i] + t[i %% 8]) %% 7) {
			case 0: sum += strtol(t, NULL, 10); break;
			case 1: sum ^= (long)strlen(s->name) * %(i)d; break;
			case 3: sum -= snprintf(s->name, sizeof(s->name), "%%ld", sum); break;
			default: sum += s->v[i] / (t[0] + %(i)d + 1);
			}
	return sum;
}
"""
BUILD_FILES, BUILD_FUNCTIONS = 24, 120


def start_build(place):
    """make -j2 with cc, repeatedly."""
    objects = []
    for n in range(BUILD_FILES):
        body = "".join(BUILD_FUNCTION % {"n": n, "i": i} for i in range(BUILD_FUNCTIONS))
        place.write(f"f{n}.c", BUILD_SOURCE % body)
        objects.append(f"f{n}.o")
    place.write("main.c", "int main(void) { return 0; }\n")
    place.write("Makefile", f"prog: main.o {' '.join(objects)}\n\tcc -g -o $@ $^\n%.o: %.c\n\tcc -O2 -g -c -o $@ $<\n")
    script = place.write("again", "while :; do make -s -j2 || exit 1; rm -f *.o prog; sleep 1; done\n")
    place.start("/bin/sh", script)
    place.await_processes(4)


PHP_PAGE = """<?php
// A request's own memory, of a size of its own, and a table as applications have.
$n = mt_rand(1, %d);
$text = str_repeat(chr(mt_rand(65, 90)), $n << 20);
$rows = [];
for ($i = 0; $i < 20000 * $n / 8; $i++)
	$rows["key$i"] = ["id" => $i, "name" => md5((string)$i)];
usleep(20000);
echo count($rows), " ", strlen($text), "\\n";
"""
APACHE_MODULES = "/usr/lib/apache2/modules"
APACHE_CONF = """ServerRoot "{folder}"
ServerName localhost
DefaultRuntimeDir "{folder}"
PidFile "{folder}/pid"
Listen 127.0.0.1:{port}
LoadModule mpm_prefork_module {modules}/mod_mpm_prefork.so
LoadModule authz_core_module {modules}/mod_authz_core.so
LoadModule php_module {php}
Mutex file:{folder} default
ErrorLog "{folder}/error.log"
DocumentRoot "{folder}/www"
<Directory "{folder}/www">
	Require all granted
</Directory>
<FilesMatch "\\.php$">
	SetHandler application/x-httpd-php
</FilesMatch>
StartServers 8
MinSpareServers 4
MaxSpareServers 10
MaxRequestWorkers 20
MaxConnectionsPerChild 200
"""


def start_apache(place):
    """Apache prefork with mod_php: children are replaced after 200 requests."""
    port, php = free_port(), max(glob.glob(f"{APACHE_MODULES}/libphp*.so"))
    place.write("www/index.php", PHP_PAGE % place.mib(12))
    conf = place.write("conf", APACHE_CONF.format(folder=place.folder, port=port, modules=APACHE_MODULES, php=php))
    place.start("/usr/sbin/apache2", "-f", conf, "-D", "FOREGROUND")
    place.await_socket(port)
    place.ask("http", port, 20, 6, "/index.php")


NGINX_CONF = """daemon off;
worker_processes 4;
pid {folder}/pid;
error_log {folder}/error.log;
events {{ worker_connections 256; }}
http {{
	access_log off;
	client_body_temp_path {folder}/body;
	proxy_temp_path {folder}/proxy;
	fastcgi_temp_path {folder}/fastcgi;
	uwsgi_temp_path {folder}/uwsgi;
	scgi_temp_path {folder}/scgi;
	limit_req_zone $request_uri zone=uris:16m rate=1000r/s;
	open_file_cache max=1000;
	gzip on;
	gzip_types *;
	server {{
		listen unix:{folder}/sock;
		root {folder}/www;
		location / {{ limit_req zone=uris burst=100; }}
	}}
}}
"""


def start_nginx(place):
    """A master and four workers. SIGHUP replaces the workers every 20 s."""
    for number in range(20):
        place.write(f"www/{number}.txt", f"line {number} of a file\n" * 2000 * (number + 1))
    place.start("/usr/sbin/nginx", "-e", place.path("error.log"), "-c",
                place.write("conf", NGINX_CONF.format(folder=place.folder)))
    place.await_socket(place.path("sock"))
    place.start("/bin/sh", "-c", f"while sleep 20; do kill -HUP $(cat {place.path('pid')}); done")
    place.ask("http", place.path("sock"), 50, 4, *(f"/{number}.txt?{i}" for number in range(20) for i in range(20)))


PHP_CONF = """[global]
pid = {folder}/pid
error_log = {folder}/error.log
daemonize = no
[www]
listen = {folder}/sock
listen.mode = 0666
pm = dynamic
pm.max_children = 14
pm.start_servers = 8
pm.min_spare_servers = 4
pm.max_spare_servers = 10
pm.max_requests = 200
"""


def find_php_fpm():
    return max(glob.glob("/usr/sbin/php-fpm[0-9]*"), default=None)


def start_php_fpm(place):
    """A master and up to 14 workers, which are replaced after 200 requests, with opcache's shared
    memory."""
    page = place.write("index.php", PHP_PAGE % place.mib(12))
    conf = place.write("conf", PHP_CONF.format(folder=place.folder))
    place.start(find_php_fpm(), "--nodaemonize", "--fpm-config", conf, "-d", "opcache.enable=1")
    place.await_socket(place.path("sock"))
    place.ask("fcgi", place.path("sock"), 20, 6, page)


def start_postgres(place):
    """PostgreSQL with busy backends under pgbench."""
    server = programs.Postgres(place.rig, max(4, round(40 * place.scale)), place.mib(512))
    server.begin_load("simple-update", 100)
    place.main = server.server


def start_chromium(place):
    """A headless Chromium with tabs that allocate and drop a MiB each second."""
    browser = programs.Chromium(place.rig, max(2, round(10 * place.scale)))
    place.main = browser.process


def start_redis_server(place):
    """Starts Redis without data. Returns the path of its socket."""
    server = place.alias(REDIS, "redis-server")  # one file, which acts by its name
    sock = place.path("sock")
    place.start(server, "--port", "0", "--unixsocket", sock, "--unixsocketperm", "777", "--dir", place.folder, "--save", "",
                "--appendonly", "no", "--daemonize", "no", "--logfile", place.path("redis.log"))
    place.await_socket(sock)
    return sock


def start_redis(place):
    """Keys that are overwritten all the time, also while a fork writes them to disk (BGSAVE)."""
    place.ask("redis", start_redis_server(place), 20, 1, place.mib(250) * 1024, 700)


NODE_SCRIPT = """const cluster = require("cluster"), http = require("http");
if (cluster.isPrimary) {
  for (let i = 0; i < 4; i++) cluster.fork();
  // A worker a minute is replaced, as by a deployment.
  setInterval(() => { cluster.fork(); Object.values(cluster.workers)[0].disconnect(); }, 60000);
} else {
  const kept = new Map();
  let count = 0;
  http.createServer((request, response) => {
    const key = "key" + count++ %% %d;
    kept.set(key, {key, list: Array.from({length: 50}, (_, i) => "item " + i + " of " + count)});
    const body = Buffer.alloc(1 << 20, count %% 256);
    setTimeout(() => response.end(JSON.stringify([...kept.keys()].slice(0, 100)) + body.length), 20);
  }).listen(process.argv[2]);
}
"""


def start_node(place):
    """A cluster of four workers with heaps that grow and are collected."""
    script = place.write("server.js", NODE_SCRIPT % (place.mib(6) * 1000))
    sock = place.path("sock")
    place.start(shutil.which("node", path="/usr/bin:/bin"), script, sock)
    place.await_socket(sock)
    place.ask("http", sock, 60, 8, "/")


JAVA_SOURCE = """import java.util.*;
public class Load {
	public static void main(String[] words) throws Exception {
		Random random = new Random(1);
		Map<Integer, byte[]> kept = new LinkedHashMap<>() {
			protected boolean removeEldestEntry(Map.Entry<Integer, byte[]> eldest) {
				return size() > Integer.parseInt(words[0]) * 64;
			}
		};
		for (int i = 0; ; i++) {
			kept.put(i, new byte[8192 + random.nextInt(16384)]);
			List<String> garbage = new ArrayList<>();
			for (int k = 0; k < 200; k++)
				garbage.add("text " + k + " of " + i);
			if (i % 100 == 99)
				Thread.sleep(50);
		}
	}
}
"""


def start_java(place):
    """Two JVMs with different garbage collectors; their class data is one file."""
    place.run("/usr/bin/javac", "-J-XX:-UsePerfData", "-d", place.folder, place.write("Load.java", JAVA_SOURCE))
    for collector in ("G1", "Serial"):
        place.start("/usr/bin/java", "-XX:-UsePerfData", f"-XX:+Use{collector}GC", f"-Xmx{place.mib(256) + 64}m", "-cp",
                    place.folder, "Load", str(place.mib(128)))
    place.await_processes(2)


GUNICORN_APP = """import random
KEPT = {number: {"id": number, "name": f"row {number}", "words": [number, str(number)]} for number in range(%d * 1500)}
def app(environ, start_response):
    # Touching an object writes its reference count: a private copy of its page.
    found = [KEPT[random.randrange(len(KEPT))] for _ in range(300)]
    body = b"x" * random.randrange(1 << 20) + b"".join(row["name"].encode() for row in found)
    start_response("200 OK", [("Content-Length", str(len(body)))])
    return [body]
"""


def start_gunicorn(place):
    """Six workers forked from a process that has loaded the application (--preload), replaced after
    400 requests."""
    place.write("application.py", GUNICORN_APP % place.mib(96))
    sock = place.path("sock")
    place.start(place.alias(PYTHON, "gunicorn-load"), "/usr/bin/gunicorn", "--preload", "--workers", "6", "--bind",
                f"unix:{sock}", "--umask", "0", "--max-requests", "400", "--max-requests-jitter", "100",
                "--worker-tmp-dir", place.folder, "application:app")
    place.await_socket(sock)
    place.ask("http", sock, 30, 6, "/")


POOL_SCRIPT = """import multiprocessing, random, sys, time
MIB = int(sys.argv[1])
TABLE = [[n, str(n)] for n in range(MIB * 4000)]
def work(size):
    block = bytearray(random.randrange(1 << 20, 1 + size))
    for i in range(0, len(block), 4096):
        block[i] = 1
    start = random.randrange(len(TABLE) * 9 // 10)
    total = sum(row[0] for row in TABLE[start:start + len(TABLE) // 50])
    time.sleep(random.random() * 2)
    return total + len(block)
if __name__ == "__main__":
    with multiprocessing.Pool(6, maxtasksperchild=20) as pool:
        while True:
            for _ in pool.imap_unordered(work, [MIB << 18] * 60):
                pass
"""


def start_pool(place):
    """A pool of six Python processes that read the parent's table and are replaced after 20 tasks.
    """
    script = place.write("pool.py", POOL_SCRIPT)
    place.start(place.alias(PYTHON, "pool-load"), script, str(place.mib(96)))
    place.await_processes(7)


TMUX_SHELL = """while :; do
	text=$(ls -l /usr/bin | sort -k 5 -n | tail -n $((RANDOM % 300)))
	history+=("$text")
	[ ${#history[@]} -lt 200 ] || history=()
	sleep $((RANDOM % 4 + 1))
done
"""
TMUX_EDITOR = """import random, time
lines = []
while True:
    lines += [f"line {len(lines)} " + "x" * random.randrange(80) for _ in range(2000)]
    if len(lines) > 200000:
        lines = []
    time.sleep(random.random() * 4)
"""
TMUX_USERS = 8


def start_tmux(place):
    """Eight users, each with a tmux of two busy shells and an editor that grows and starts over."""
    shell, editor = place.write("shell", TMUX_SHELL), place.write("editor.py", TMUX_EDITOR)
    python = place.alias(PYTHON, "editor-load")
    os.chmod(place.folder, 0o1777)
    for uid in range(place.uid, place.uid + TMUX_USERS):
        sock = place.path(f"sock{uid}")
        base = ["/usr/bin/tmux", "-S", sock, "-f", "/dev/null"]
        place.start(*base, "-D", uid=uid)
        place.await_socket(sock)
        place.run(*base, "new-session", "-d", "-s", "work", f"exec /bin/bash {shell}", uid=uid)
        place.run(*base, "new-window", "-t", "work", f"exec /bin/bash {shell}", uid=uid)
        place.run(*base, "new-window", "-t", "work", f"exec {python} {editor}", uid=uid)
    place.await_processes(4 * TMUX_USERS)


def start_stress(place):
    """stress-ng: workers that fill and free memory, and one that allocates and frees pieces of it.
    """
    place.start("/usr/bin/stress-ng", "--temp-path", place.folder, "--vm", "4", "--vm-bytes", f"{4 * place.mib(48)}M",
                "--vm-hang", "1", "--malloc", "1", "--malloc-bytes", f"{place.mib(64)}M", "--malloc-max", "500")
    place.await_processes(6)


# program: a pattern of a file in the packages; start: returns when the load is ready.
Load = namedtuple("Load", "name packages program start")
LOADS = (
    Load("build", ("gcc", "make", "libc6-dev"), "/usr/bin/make", start_build),
    Load("apache", ("apache2-bin", "libapache2-mod-php"), f"{APACHE_MODULES}/libphp*.so", start_apache),
    Load("nginx", ("nginx",), "/usr/sbin/nginx", start_nginx),
    Load("php-fpm", ("php-fpm",), "/usr/sbin/php-fpm[0-9]*", start_php_fpm),
    Load("postgres", ("postgresql",), "/usr/lib/postgresql/*/bin/pgbench", start_postgres),
    Load("redis", ("redis-tools",), REDIS, start_redis),
    Load("node", ("nodejs",), "/usr/bin/node", start_node),
    Load("java", ("default-jdk-headless",), "/usr/bin/javac", start_java),
    Load("chromium", ("chromium",), programs.CHROMIUM, start_chromium),
    Load("gunicorn", ("gunicorn",), "/usr/bin/gunicorn", start_gunicorn),
    Load("pool", ("python3-minimal",), PYTHON, start_pool),
    Load("tmux", ("tmux",), "/usr/bin/tmux", start_tmux),
    Load("stress-ng", ("stress-ng",), "/usr/bin/stress-ng", start_stress),
)
NAMES = tuple(load.name for load in LOADS)


def is_installed(load):
    return bool(glob.glob(load.program))


def uid_of(load):
    return FIRST_UID + LOADS.index(load) * UIDS_EACH


def all_uids():
    """Returns every uid that a load may have."""
    return {*programs.UIDS.values(), *range(FIRST_UID, FIRST_UID + len(LOADS) * UIDS_EACH)}


def load_of(uid):
    """Returns the name of the load of UID."""
    if uid == programs.CHROMIUM_UID:
        return "chromium"
    if uid in (programs.POSTGRES_UID, programs.PGBENCH_UID):
        return "postgres"
    return LOADS[(uid - FIRST_UID) // UIDS_EACH].name


def start(load, rig, scale):
    """Starts LOAD. Returns its place when the load is at work."""
    place = Place(rig, f"load-{load.name}", uid_of(load), scale)
    load.start(place)
    return place


NO_SERVICES = "/usr/sbin/policy-rc.d"


def install(wanted):
    """Installs missing packages of WANTED; no service starts. Failures show as missing programs."""
    packages = [package for load in wanted if not is_installed(load) for package in load.packages]
    if not packages:
        return
    made = not os.path.exists(NO_SERVICES)
    if made:
        with open(NO_SERVICES, "w", encoding="ascii") as file:
            file.write("#!/bin/sh\nexit 101\n")
        os.chmod(NO_SERVICES, 0o755)
    try:
        subprocess.run(["apt-get", "-q", "-o", "DPkg::Lock::Timeout=300", "install", "-y", "--no-install-recommends", *packages],
                       env=os.environ | {"DEBIAN_FRONTEND": "noninteractive"}, check=False)
    finally:
        if made:
            os.remove(NO_SERVICES)


def remove_files(folders=("/tmp", "/var/tmp")):
    """Removes files that loads left in FOLDERS outside their own folder, by their uids, which no other
    user has."""
    uids = all_uids()
    for folder in folders:
        for entry in os.scandir(folder):
            try:
                if entry.stat(follow_symlinks=False).st_uid not in uids:
                    continue
            except FileNotFoundError:  # a file of another process that was removed
                continue
            if entry.is_dir(follow_symlinks=False):
                shutil.rmtree(entry.path, ignore_errors=True)
            else:
                os.unlink(entry.path)
