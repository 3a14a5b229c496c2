// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Addresses of servers, and quoting in their SQL.
#include "core/databases/mysql/mysqlconnection.h"
#include "core/databases/postgresql/copytext.h"
#include "core/databases/postgresql/pgconnection.h"
#include "core/databases/serveraddress.h"
#include "tests/support/qtsuite.h"

#include <QTest>

using namespace ct;

namespace {

ServerAddress parsed(const char *text)
{
    const Result<ServerAddress> address = parseServerAddress(text);
    return address ? *address : ServerAddress{};
}

std::string errorOf(const char *text)
{
    const Result<ServerAddress> address = parseServerAddress(text);
    return address ? std::string() : address.error().message;
}

bool contains(const std::string &text, const char *part)
{
    return text.find(part) != std::string::npos;
}

}  // namespace

class TestServerAddress : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void readsEveryPart()
    {
        const ServerAddress address =
            parsed("postgresql://me@db.example:5433/my%20traces?sslmode=verify-full&sslrootcert=/ca.pem&table=t&"
                   "maintenance=template1");
        QVERIFY(address.kind == ServerAddress::Kind::PostgreSql);
        QCOMPARE(address.host, std::string("db.example"));
        QCOMPARE(address.port, std::uint16_t(5433));
        QCOMPARE(address.user, std::string("me"));
        QCOMPARE(address.database, std::string("my traces"));
        QCOMPARE(address.table, std::string("t"));
        QCOMPARE(address.maintenance, std::string("template1"));
        QCOMPARE(address.certificate, std::string("/ca.pem"));
        QVERIFY(address.needsTls());
        QCOMPARE(address.name(), std::string("postgresql://me@db.example:5433/my traces"));
    }

    /// PostgreSQL would cut the name off.
    void refusesNamesThatAreTooLong()
    {
        const auto errorFor = [](const char *scheme, const char *letter, int count) {
            return errorOf((scheme + QString::fromUtf8(letter).repeated(count).toStdString()).c_str());
        };
        QCOMPARE(errorFor("postgresql://h/", "a", 63), std::string());
        QVERIFY(contains(errorFor("postgresql://h/", "a", 64), "has 64 bytes, and PostgreSQL allows 63; choose"));
        QVERIFY(contains(errorFor("postgresql://h/", "ä", 32), "has 64 bytes"));
        QCOMPARE(errorFor("mysql://h/", "ä", 64), std::string());
        QVERIFY(contains(errorFor("mysql://h/", "a", 65), "has 65 characters, and MariaDB allows 64; choose"));
    }

    void aTargetNamesNoSession()
    {
        QVERIFY(bool(parseTargetAddress("mysql://h/d")));
        QVERIFY(!parseTargetAddress("mysql://h/d?session=7"));
    }

    void hasTheDefaultsOfTheExistingCollector()
    {
        const ServerAddress postgresql = parsed("postgresql://");
        QCOMPARE(postgresql.host, std::string("127.0.0.1"));
        QCOMPARE(postgresql.port, std::uint16_t(5432));
        QCOMPARE(postgresql.database, std::string("coro_tracer"));
        QCOMPARE(postgresql.table, std::string("coro_trace_events"));
        QCOMPARE(postgresql.maintenance, std::string("postgres"));
        QVERIFY(!postgresql.needsTls());
        const ServerAddress mysql = parsed("mysql://root@localhost?socket=/run/s");
        QVERIFY(mysql.kind == ServerAddress::Kind::MySql);
        QCOMPARE(mysql.port, std::uint16_t(3306));
        QCOMPARE(mysql.socket, std::string("/run/s"));
        QCOMPARE(mysql.name(), std::string("mysql://root@/run/s/coro_tracer"));
        // The port is a part of the name of PostgreSQL's socket.
        QCOMPARE(parsed("postgresql://me@h/d?socket=/run/pg").name(), std::string("postgresql://me@/run/pg/d"));
        QCOMPARE(parsed("postgresql://me@h:5433/d?socket=/run/pg").name(),
                 std::string("postgresql://me@/run/pg:5433/d"));
    }

    void distinguishesAddressesFromPaths()
    {
        for (const char *address : {"postgresql://h/d", "postgres://h/d", "mysql://h/d", "mariadb://h/d"})
            QVERIFY2(isServerAddress(address), address);
        for (const char *path : {"run.ctr", "/postgresql://x", "postgresql", "postgresql:/h", "http://h/d", ""})
            QVERIFY2(!isServerAddress(path), path);
    }

    void refusesPasswordsWithoutQuotingThem()
    {
        const std::string error = errorOf("postgresql://me:secret@h/d");
        QVERIFY2(contains(error, "PGPASSWORD"), error.c_str());
        QVERIFY2(!contains(error, "secret"), error.c_str());
        QVERIFY2(contains(errorOf("mysql://me:secret@h/d"), "MYSQL_PWD"), "names the variable of MySQL");
        for (const char *address : {"postgresql://me:50%secret@h/d", "postgresql://me:a#secret@h:x/d",
                                    "mysql://h/d?password=secret", "postgresql://h/d?sslmode=on&pw=secret"}) {
            const std::string answer = errorOf(address);
            QVERIFY2(!answer.empty() && !contains(answer, "secret"), answer.c_str());
        }
    }

    void namesWhatIsWrong()
    {
        QVERIFY(contains(errorOf("postgresql://h/d?sslmode=on"), "unknown sslmode on; expected disable, "));
        QVERIFY(contains(errorOf("postgresql://h/d?colour=red"), "unknown option colour; expected table, "));
        QVERIFY(contains(errorOf("postgresql://h/d?table="), "the option table has no value"));
        QVERIFY(contains(errorOf(("postgresql://h/d?table=" + std::string(64, 'a')).c_str()), "more than 63 bytes"));
        QVERIFY(contains(errorOf("mysql://h/d?table=Events_of_session_3"), "choose another name"));
        QVERIFY(errorOf("mysql://h/d?table=events_of_session_x").empty());
        QVERIFY(contains(errorOf("mysql://h/d?socket=/a;c%20k=x"), "must not contain a semicolon"));
        for (const char *own : {"coroutines", "sessions", "Events", "all_waits", "stored_sessions", "site_latency"})
            QVERIFY2(contains(errorOf(("mysql://h/d?table=" + std::string(own)).c_str()), "choose another name"), own);
        QVERIFY(contains(errorOf("postgresql://h:99999/d"), "expected postgresql://USER@HOST:PORT/DATABASE"));
    }

    /// Otherwise the last one would hold, while messages show the first one.
    void refusesOptionsThatAreGivenTwice()
    {
        QVERIFY(contains(errorOf("mysql://h/d?sslmode=require&sslmode=disable"), "the option sslmode is given twice;"));
        QVERIFY(contains(errorOf("postgresql://h/d?table=a&sslmode=require&table=a"), "the option table is given"));
        QVERIFY(contains(errorOf("postgresql://h/d?sslmode=require&ssl%6Dode=disable"), "the option sslmode is given"));
        const std::string unknown = errorOf("postgresql://h/d?pw=secret&pw=secret");
        QVERIFY2(!unknown.empty() && !contains(unknown, "secret"), unknown.c_str());
    }

    /// A C library would use only the part before it.
    void refusesTheByteZeroInEveryPart()
    {
        for (const char *address :
             {"postgresql://ro%00ot@h/d", "mysql://h/d%00e", "mysql://h/d?socket=/a%00b", "mysql://h/d?table=a%00b",
              "mysql://h/d?session=a%00b", "postgresql://h/d?sslrootcert=/a%00b", "postgresql://h/d?maintenance=a%00"})
            QVERIFY2(contains(errorOf(address), "must not contain the byte 0"), errorOf(address).c_str());
        QVERIFY(!errorOf("postgresql://h%00i/d").empty());
        QCOMPARE(parsed("postgresql://h/d%2500").database, std::string("d%00"));
    }

    void quotesNamesAndTexts()
    {
        QCOMPARE(pgIdentifier("a\"b"), std::string("\"a\"\"b\""));
        QCOMPARE(pgLiteral("it's"), std::string("'it''s'"));
        QCOMPARE(mysqlIdentifier("a`b"), std::string("`a``b`"));
        std::string literal;
        appendMysqlLiteral(literal, std::string_view("it's \\ \0", 8));
        QCOMPARE(literal, std::string("'it''s \\\\ \\0'"));
    }

    void writesRowsForCopy()
    {
        static constexpr Column kColumns[] = {{"a", ColumnType::Text},
                                              {"b", ColumnType::Boolean},
                                              {"c", ColumnType::Unsigned},
                                              {"d", ColumnType::Address},
                                              {"e", ColumnType::Text, true}};
        const TableSchema schema{"t", kColumns, {}};
        std::string text;
        appendCopyRow(text, schema,
                      Row().text(std::string_view("a\tb\\\n\r\0", 7)).number(1).number(~0ULL).address(0x12).null());
        QCOMPARE(text, std::string("a\\tb\\\\\\n\\r\xEF\xBF\xBD\tt\t18446744073709551615\t0x0000000000000012\t\\N\n"));
    }

    void addressesSurviveConversionToText()
    {
        ServerAddress address;
        address.kind = ServerAddress::Kind::MySql;
        address.host = "::1";
        address.port = 3307;
        address.socket = "/tmp/a b&c=d+e%20/x";
        address.user = "an/na@home";
        address.database = "my \"traces\" \u00e4/1?#";
        address.table = "my events";
        address.session = "/home/anna/run 7.ctr";
        address.sslMode = "verify-full";
        address.certificate = "/etc/ca+x.pem";
        address.maintenance = "template1";
        const Result<ServerAddress> again = parseServerAddress(addressText(address));
        QVERIFY2(again, again ? "" : again.error().message.c_str());
        QCOMPARE(again->name(), address.name());
        QCOMPARE(again->socket, address.socket);
        QCOMPARE(again->table, address.table);
        QCOMPARE(again->session, address.session);
        QCOMPARE(again->user, address.user);
        QCOMPARE(again->sslMode, address.sslMode);
        QCOMPARE(again->certificate, address.certificate);
        QCOMPARE(again->maintenance, address.maintenance);
        QCOMPARE(addressText(parsed("postgresql://anna@alpha/one")), std::string("postgresql://anna@alpha:5432/one"));
    }

    void comparesDatabases_data()
    {
        QTest::addColumn<QString>("one");
        QTest::addColumn<QString>("other");
        QTest::addColumn<bool>("areSame");
        const auto row = [](const char *one, const char *other, bool areSame) {
            QTest::newRow(other) << QString::fromLatin1(one) << QString::fromLatin1(other) << areSame;
        };
        row("postgresql://a/x", "postgresql://b@a:5432/x?session=3&table=t", true);
        row("postgresql://a/x", "postgresql://a/y", false);
        row("postgresql://a/x", "postgresql://b/x", false);
        row("postgresql://a/x", "postgresql://a:5433/x", false);
        row("postgresql://a/x", "mysql://a:5432/x", false);
        row("postgresql://a/x?socket=/s", "postgresql://b/x?socket=/s", true);
        row("postgresql://a/x?socket=/s", "postgresql://a:5433/x?socket=/s", false);
        row("postgresql://a/x?socket=/s", "postgresql://a/x?socket=/t", false);
        row("mysql://a/x?socket=/s", "mysql://a:3307/x?socket=/s", true);
    }

    void comparesDatabases()
    {
        QFETCH(const QString, one);
        QFETCH(const QString, other);
        const Result<ServerAddress> first = parseServerAddress(one.toStdString());
        const Result<ServerAddress> second = parseServerAddress(other.toStdString());
        QVERIFY(first && second);
        QTEST(areSameDatabase(*first, *second), "areSame");
        QTEST(areSameDatabase(*second, *first), "areSame");
    }
};

CT_QT_SUITE(TestServerAddress)
#include "tst_serveraddress.moc"
