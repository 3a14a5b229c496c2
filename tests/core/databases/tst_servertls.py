#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The corotracer-gui authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Connections to real database servers over TCP, with and without TLS.

usage: tst_servertls.py CORO_TRACER_GUI [unittest arguments]
"""

import os
import socket
import sys
import threading

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import servers  # noqa: E402
from servertest import PASSWORD, ServerTest, run_all  # noqa: E402


def greet(listener, greeting):
    """Answers the first client as the server of another protocol does."""
    client, _ = listener.accept()
    with client:
        client.sendall(greeting)
        while client.recv(4096):
            pass


class Network(ServerTest):
    def stores(self, target, **more):
        done = self.export(self.recording(), target, **more)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(self.exported(), "10")

    def is_refused(self, target, *texts, **more):
        done = self.export(self.recording(), target, **more)
        self.assertEqual(done.returncode, 4, done.stderr)
        for text in texts:
            self.assertIn(text, done.stderr)
        self.assertFalse(self.server.has_database(self.database))

    def name_at(self, at, user="locked"):
        return f"{self.server.scheme}://{user}@{at}/{self.database}: "


class Encrypted(Network):
    """The server admits the user "guarded" only over TLS, so the server itself proves that TLS is on."""

    options = {"has_tcp": True, "has_tls": True}

    @classmethod
    def add_users(cls):
        super().add_users()
        cls.server.add_user("guarded", PASSWORD, needs_tls=True)

    def guarded(self, **options):
        return self.server.tcp_url(self.database, user="guarded", **options)

    def test_tcp_stores_with_user_and_password(self):
        for options in {}, {"sslmode": "disable"}:
            self.stores(self.server.tcp_url(self.database, user="locked", **options))

    def test_localhost_with_a_port_is_tcp(self):
        self.stores(self.server.tcp_url(self.database, user="locked", host="localhost"))

    def test_tcp_refuses_a_wrong_password(self):
        self.is_refused(self.server.tcp_url(self.database, user="locked"), self.name_at(f"127.0.0.1:{self.server.port}"),
                        f"set {self.variable} in the environment to the password of the user locked", password="another")

    def test_required_tls_is_on(self):
        self.stores(self.guarded(sslmode="require"))

    def test_tls_is_preferred(self):
        self.stores(self.guarded())
        self.stores(self.guarded(sslmode="prefer"))

    def test_the_server_refuses_a_connection_without_tls(self):
        self.is_refused(self.guarded(sslmode="disable"), "guarded")


class EncryptedPostgreSql(Encrypted):
    kind = servers.PostgreSql

    def csv_of(self, source, **more):
        done = self.export(source, self.folder / "out.csv", "csv", **more)
        self.assertEqual(done.returncode, 0, done.stderr)
        return (self.folder / "out.csv").read_text(encoding="utf-8")

    def verified(self, mode="verify-full", authority="root", **options):
        return self.guarded(sslmode=mode, sslrootcert=self.server.certificate(authority), **options)

    def test_a_session_is_read_over_tcp(self):
        expected = self.csv_of(self.recording())
        for options in {}, {"sslmode": "disable"}:
            address = self.server.tcp_url(self.database, user="locked", **options)
            self.stores(address)
            self.assertEqual(self.csv_of(address), expected)

    def test_a_session_is_read_over_tls(self):
        expected = self.csv_of(self.recording())
        self.stores(self.verified())
        for address in self.guarded(), self.guarded(sslmode="require"), self.verified():
            self.assertEqual(self.csv_of(address), expected)
        for address, remedy in ((self.verified(authority="other"), "sslrootcert=FILE"),
                                (self.server.tcp_url(self.database, user="locked"), "ask the owner of the tables")):
            done = self.export(address, self.folder / "none.csv", "csv")
            self.assertEqual(done.returncode, 3, done.stderr)
            self.assertIn(remedy, done.stderr)
            self.assertFalse((self.folder / "none.csv").exists())

    def test_verifies_the_authority(self):
        for mode in "verify-ca", "verify-full":
            self.is_refused(self.verified(mode, "other"), self.name_at(f"127.0.0.1:{self.server.port}", "guarded"),
                            "name the certificate of its authority with sslrootcert=FILE")
        # Without an option, the authority is in the home directory.
        self.is_refused(self.guarded(sslmode="verify-ca"), "name the certificate of its authority with sslrootcert=FILE",
                        HOME=str(self.folder))
        self.stores(self.verified("verify-ca"))

    def test_verifies_the_name_of_the_host(self):
        self.is_refused(self.verified(host="localhost"), "the server's certificate must name the host")
        self.stores(self.verified("verify-ca", host="localhost"))

    def test_a_unix_socket_has_no_tls(self):
        # The port is in the name of PostgreSQL's socket.
        at = f"{self.server.socket()}:{self.server.port}"
        self.is_refused(self.server.url(self.database, user="locked", sslmode="require"), self.name_at(at),
                        "the connection does not use TLS, which sslmode=require requires; switch TLS on at the server, or"
                        " connect over TCP")


class EncryptedMariaDb(Encrypted):
    kind = servers.MariaDb

    def test_certificates_cannot_be_verified(self):
        self.is_refused(self.guarded(sslmode="verify-full", sslrootcert=self.server.certificate("root")),
                        "cannot verify the certificate of a server; use a Unix socket, or sslmode=require")

    def test_a_unix_socket_has_tls(self):
        self.is_refused(self.server.url(self.database, user="guarded", sslmode="disable"), "guarded")
        self.stores(self.server.url(self.database, user="guarded", sslmode="require"))


class Plain(Network):
    options = {"has_tcp": True}

    def test_preferred_tls_is_not_required(self):
        self.stores(self.server.tcp_url(self.database, user="locked", sslmode="prefer"))

    def test_required_tls_is_refused(self):
        self.stores(self.server.tcp_url(self.database, user="locked"))
        before = self.value("SELECT count(*) FROM all_events")
        for mode in self.modes:
            done = self.export(self.recording("more.jsonl", 20),
                               self.server.tcp_url(self.database, user="locked", sslmode=mode))
            self.assertEqual(done.returncode, 4, done.stderr)
            self.assertIn(self.name_at(f"127.0.0.1:{self.server.port}"), done.stderr)
            self.assertIn("switch TLS on at the server", done.stderr)
        self.assertEqual(self.value("SELECT count(*) FROM all_events"), before)
        self.assertEqual(self.value("SELECT count(*) FROM sessions"), "1")

    def test_refused_connections_create_no_database(self):
        for mode in self.modes:
            self.is_refused(self.server.tcp_url(self.database, user="locked", sslmode=mode), "TLS")
            self.is_refused(self.server.url(self.database, user="locked", sslmode=mode), "TLS")


class PlainPostgreSql(Plain):
    kind = servers.PostgreSql
    modes = "require", "verify-ca", "verify-full"

    def test_says_that_another_server_answers(self):
        for greeting in b"HTTP/1.1 400 Bad Request\r\n\r\n", b"SSH-2.0-OpenSSH_9.2\r\n", b"\x15\x03\x01\x00\x02\x02\x46":
            with socket.create_server(("127.0.0.1", 0)) as listener:
                threading.Thread(target=greet, args=[listener, greeting], daemon=True).start()
                address = f"postgresql://locked@127.0.0.1:{listener.getsockname()[1]}/{self.database}"
                done = self.export(self.recording(), address)
            self.assertEqual(done.returncode, 4, done.stderr)
            self.assertIn(": no PostgreSQL server answers there; check the host and the port", done.stderr)
            self.assertNotIn("switch TLS on", done.stderr)


class PlainMariaDb(Plain):
    kind = servers.MariaDb
    modes = ("require",)


if __name__ == "__main__":
    run_all(EncryptedPostgreSql, EncryptedMariaDb, PlainPostgreSql, PlainMariaDb)
