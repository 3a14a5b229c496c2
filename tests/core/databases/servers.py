# SPDX-FileCopyrightText: 2026 The corotracer-gui authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Database servers for tests: each runs as an unprivileged user, on a Unix socket in a temporary folder, and on a port
of 127.0.0.1 if a test asks for it."""

import csv
import glob
import io
import os
import pathlib
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
import urllib.parse

PATIENCE_S = 150
PORTS_TO_TRY = 10


class Missing(Exception):
    """Raised if a program is not installed."""


def program(name, *folders):
    found = shutil.which(name, path=os.pathsep.join([*folders, os.environ.get("PATH", ""), "/usr/sbin"]))
    if not found:
        raise Missing(f"{name} is not installed; packaging/bootstrap.sh test-all installs it")
    return found


def unprivileged():
    """The command prefix with which root runs a command as another user, because servers refuse root."""
    if os.getuid() != 0:
        return []
    return [program("setpriv"), "--reuid=nobody", "--regid=nogroup", "--clear-groups", "--"]


def rows_of(text):
    return list(csv.reader(io.StringIO(text)))


def free_port():
    """A free port. Another process may take it before the server does."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def make_certificates(run):
    """Makes a certificate for 127.0.0.1 and the authority that signed it, and an authority that did not, with
    run(command): root.crt, server.crt, server.key and other.crt."""
    openssl = program("openssl")
    for name in "root", "other":
        run([openssl, "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", f"/CN=tests {name}", "-keyout",
             f"{name}.key", "-out", f"{name}.crt"])
    run([openssl, "req", "-newkey", "rsa:2048", "-nodes", "-subj", "/CN=tests server", "-addext",
         "subjectAltName=IP:127.0.0.1", "-keyout", "server.key", "-out", "server.csr"])
    run([openssl, "x509", "-req", "-in", "server.csr", "-CA", "root.crt", "-CAkey", "root.key", "-CAcreateserial", "-days",
         "2", "-copy_extensions", "copy", "-out", "server.crt"])


class Server:
    """start() and end() may be repeated; kill() ends the server like a crash. `port`: on 127.0.0.1; 0: none."""

    scheme = ""
    user = ""
    port = 0

    def __init__(self, has_tcp=False, has_tls=False):
        self.has_tcp = has_tcp
        self.has_tls = has_tls
        if has_tls:
            program("openssl")
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="ct-server-"))
        self.folder.chmod(0o755)
        self.home = self.folder / "server"
        self.home.mkdir()
        if os.getuid() == 0:
            shutil.chown(self.home, "nobody", "nogroup")
        self.process = None
        if has_tls:
            make_certificates(self.run)

    def environment(self):
        # MariaDB removes temporary tables that it finds when it starts, also those of another server in the same folder.
        return {**os.environ, "HOME": str(self.home), "TMPDIR": str(self.home)}

    def run(self, command):
        done = subprocess.run([*unprivileged(), *map(str, command)], cwd=self.home, capture_output=True, text=True,
                              timeout=PATIENCE_S, env=self.environment())
        if done.returncode != 0:
            raise RuntimeError(f"{command}: {done.stdout}{done.stderr}")

    def start(self):
        for _ in range(PORTS_TO_TRY if self.has_tcp else 1):
            self.port = free_port() if self.has_tcp else 0
            if self.starts():
                return
        raise RuntimeError((self.folder / "log").read_text(errors="replace")[-3000:])

    def starts(self):
        """False if the server ends at once, for example because its port is in use."""
        self.log = open(self.folder / "log", "ab")
        self.process = subprocess.Popen([*unprivileged(), *map(str, self.command())], cwd=self.home, stdout=self.log,
                                        stderr=self.log, env=self.environment())
        deadline = time.monotonic() + PATIENCE_S
        while not self.answers():
            if self.process.poll() is not None:
                self.log.close()
                return False
            if time.monotonic() > deadline:
                raise RuntimeError((self.folder / "log").read_text(errors="replace")[-3000:])
            time.sleep(0.05)
        return True

    def end(self, number):
        # setpriv becomes the server, so the signal reaches it.
        self.process.send_signal(number)
        self.process.wait(PATIENCE_S)
        self.log.close()

    def kill(self):
        self.end(signal.SIGKILL)

    def stop(self):
        """Ends the server so that it removes its shared memory, which would stay in /dev/shm after kill()."""
        try:
            self.end(signal.SIGQUIT)
        except subprocess.TimeoutExpired:
            self.kill()

    def remove(self):
        if self.process and self.process.poll() is None:
            self.stop()
        shutil.rmtree(self.folder, ignore_errors=True)

    def url(self, database, user="", **options):
        """The address for the Unix socket."""
        return self.url_at("localhost", database, user, {"socket": self.socket(), **options})

    def tcp_url(self, database, user="", host="127.0.0.1", **options):
        return self.url_at(host, database, user, options)

    def url_at(self, host, database, user, options):
        at = f"{host}:{self.port}" if self.port else host
        words = urllib.parse.urlencode(options, quote_via=urllib.parse.quote)
        return f"{self.scheme}://{user or self.user}@{at}/{database}?{words}"

    def certificate(self, name):
        return self.home / f"{name}.crt"

    def answers(self):
        try:
            self.query(self.first_database, "SELECT 1")
            return True
        except RuntimeError:
            return False

    def value(self, database, sql):
        return self.query(database, sql)[0][0]

    def waiting_for(self, database, sql, expected):
        deadline = time.monotonic() + PATIENCE_S
        while True:
            try:
                value = self.value(database, sql)
            except (RuntimeError, IndexError):
                value = None
            if value == expected or time.monotonic() > deadline:
                return value
            time.sleep(0.02)


class PostgreSql(Server):
    scheme = "postgresql"
    user = "tester"
    first_database = "postgres"
    kind = "postgresql"

    def __init__(self, **options):
        self.folders = sorted(glob.glob("/usr/lib/postgresql/*/bin"))
        for name in ("initdb", "postgres", "psql"):
            program(name, *self.folders)
        super().__init__(**options)
        self.run([program("initdb", *self.folders), "-D", self.home / "data", "-U", self.user, "--auth=trust", "-E",
                  "UTF8", "--no-sync"])
        self.start()

    def command(self):
        settings = ["fsync=off", f"listen_addresses={'127.0.0.1' if self.port else ''}"]
        if self.port:
            settings.append(f"port={self.port}")  # also in the name of the socket
        if self.has_tls:
            settings += ["ssl=on", f"ssl_cert_file={self.certificate('server')}", f"ssl_key_file={self.home / 'server.key'}"]
        return [program("postgres", *self.folders), "-D", self.home / "data", "-k", self.home,
                *(word for setting in settings for word in ("-c", setting))]

    def end(self, number):
        super().end(number)
        # The children of a killed server end by themselves; a new server waits for none of them.
        deadline = time.monotonic() + PATIENCE_S
        while self.has_processes() and time.monotonic() < deadline:
            time.sleep(0.05)
        (self.home / "data" / "postmaster.pid").unlink(missing_ok=True)

    def has_processes(self):
        for entry in pathlib.Path("/proc").glob("[0-9]*/cwd"):
            try:
                if entry.readlink() == self.home / "data":
                    return True
            except OSError:
                pass  # it has ended
        return False

    def socket(self):
        return self.home

    def query(self, database, sql):
        done = subprocess.run([program("psql", *self.folders), "-X", "-q", "--csv", "-t", "-v", "ON_ERROR_STOP=1", "-h",
                               str(self.home), "-p", str(self.port or 5432), "-U", self.user, "-d", database, "-c", sql],
                              capture_output=True, text=True, timeout=PATIENCE_S)
        if done.returncode != 0:
            raise RuntimeError(done.stderr)
        return rows_of(done.stdout)

    def add_user(self, name, password, needs_tls=False):
        """Adds a user who may create databases and needs a password. `needs_tls`: the server refuses the
        user without TLS."""
        quoted = password.replace("'", "''")
        self.query("postgres", f"CREATE ROLE {name} LOGIN CREATEDB PASSWORD '{quoted}'")
        lines = [f"hostssl all {name} 127.0.0.1/32 scram-sha-256", f"host all {name} all reject",
                 f"local all {name} reject"] if needs_tls else [
            f"local all {name} scram-sha-256", f"host all {name} 127.0.0.1/32 scram-sha-256"]
        rules = self.home / "data" / "pg_hba.conf"
        rules.write_text("".join(line + "\n" for line in lines) + rules.read_text())
        self.end(signal.SIGINT)
        self.start()

    def has_database(self, database):
        return self.query("postgres", f"SELECT 1 FROM pg_database WHERE datname = '{database}'") != []

    # An export that has written something, of which nothing is visible.
    is_writing = "SELECT count(*) > 0 FROM pg_stat_activity WHERE backend_xid IS NOT NULL AND query LIKE 'COPY %'"
    tables = "SELECT relname FROM pg_class WHERE relname LIKE '%\\_of\\_session\\_%' AND relkind = 'r'"


class MariaDb(Server):
    scheme = "mysql"
    user = "root"
    first_database = "information_schema"
    kind = "mysql"

    def __init__(self, **options):
        for name in ("mariadb-install-db", "mariadbd", "mariadb"):
            program(name)
        super().__init__(**options)
        self.run([program("mariadb-install-db"), "--no-defaults", f"--datadir={self.home / 'data'}",
                  "--auth-root-authentication-method=normal", "--skip-test-db"])
        self.start()

    def command(self):
        network = ["--bind-address=127.0.0.1", f"--port={self.port}"] if self.port else ["--skip-networking"]
        if self.has_tls:
            network += [f"--ssl-cert={self.certificate('server')}", f"--ssl-key={self.home / 'server.key'}"]
        return [program("mariadbd"), "--no-defaults", f"--datadir={self.home / 'data'}", f"--socket={self.socket()}", *network,
                f"--pid-file={self.home / 'pid'}", "--innodb-flush-log-at-trx-commit=2", "--debug-no-sync"]

    def socket(self):
        return self.home / "socket"

    def query(self, database, sql):
        # Rows as tab-separated lines, in which the client escapes tabs and line feeds.
        done = subprocess.run([program("mariadb"), "--no-defaults", "-S", str(self.socket()), "-u", self.user,
                               "--default-character-set=utf8mb4", "-N", "-B", database, "-e", sql],
                              capture_output=True, text=True, timeout=PATIENCE_S)
        if done.returncode != 0:
            raise RuntimeError(done.stderr)
        escapes = {"\\n": "\n", "\\t": "\t", "\\\\": "\\", "\\0": "\0"}

        def cell(text):
            result = ""
            while text:
                length = 2 if text[:2] in escapes else 1
                result += escapes.get(text[:length], text[:length])
                text = text[length:]
            return "" if result == "NULL" else result

        return [[cell(word) for word in line.split("\t")] for line in done.stdout.split("\n")[:-1]]

    def add_user(self, name, password, needs_tls=False):
        """As PostgreSql.add_user()."""
        quoted = password.replace("\\", "\\\\").replace("'", "''")
        self.query("mysql", f"CREATE USER '{name}'@'localhost' IDENTIFIED BY '{quoted}'{' REQUIRE SSL' if needs_tls else ''}")
        self.query("mysql", f"GRANT ALL ON *.* TO '{name}'@'localhost'")

    def has_database(self, database):
        return self.query("information_schema", f"SELECT 1 FROM SCHEMATA WHERE SCHEMA_NAME = '{database}'") != []

    is_writing = ("SELECT IF(count(*) > 0, 't', 'f') FROM information_schema.TABLES WHERE TABLE_SCHEMA = DATABASE()"
                  " AND TABLE_NAME LIKE 'events\\_of\\_session\\_%'")
    tables = ("SELECT TABLE_NAME FROM information_schema.TABLES WHERE TABLE_SCHEMA = DATABASE()"
              " AND TABLE_NAME LIKE '%\\_of\\_session\\_%'")


def serve(kind, user, password):
    """For tests in other languages: prints the socket of a server, and ends it when standard input ends."""
    try:
        server = {"postgresql": PostgreSql, "mysql": MariaDb}[kind]()
    except Missing as missing:
        print(f"SKIP {missing}", flush=True)
        return
    try:
        server.add_user(user, password)
        print(server.socket(), flush=True)
        sys.stdin.read()
    finally:
        server.remove()


if __name__ == "__main__":
    serve(*sys.argv[1:4])
