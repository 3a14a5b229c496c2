// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/support/qtsuite.h"
#include "ui/format/format.h"
#include "ui/format/locationformat.h"

#include <corotracer/layout.h>

#include <QTextDocument>

using namespace ct;

namespace {

/// Replaces no-break spaces with plain ones, to keep the tables below readable.
QString plain(QString text)
{
    return text.replace(QChar(0x00A0), u' ').replace(QChar(0x202F), u' ');
}

}  // namespace

class TestFormat : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void stationCountShowsTheMaximumFromFivePercent()
    {
        Accounting sums;
        sums.stationsMax = 4096;
        sums.stationsAllocated = 204;
        QCOMPARE(plain(format::stationCount(sums)), QStringLiteral("204"));
        sums.stationsAllocated = 205;
        QCOMPARE(plain(format::stationCount(sums)), QStringLiteral("205 of 4 096"));
    }
    void abbreviatesCountsAndFormsPlurals()
    {
        QCOMPARE(plain(format::briefCount(999'999)), QStringLiteral("999 999"));
        QCOMPARE(plain(format::briefCount(1'234'567)), QStringLiteral("1.23 M"));
        QCOMPARE(format::coroutines(1), QStringLiteral("1 coroutine"));
        QCOMPARE(plain(format::coroutines(1000)), QStringLiteral("1 000 coroutines"));
        QCOMPARE(plain(format::coroutines(0)), QStringLiteral("0 coroutines"));
    }
    void loadingTextShowsShareEventsAndTime()
    {
        QCOMPARE(format::loading(0.349, nullptr), QStringLiteral("Loading, 34 %"));
        RecordingOverview overview;
        QCOMPARE(format::loading(0, &overview), QStringLiteral("Loading, 0 %"));
        overview.transitions = 100'000'000;
        overview.firstTs = 5'000'000'000;
        overview.lastTs = 9'200'000'000;
        QCOMPARE(plain(format::loading(0.01, &overview)), QStringLiteral("Loading, 1 % of 100.00 M events, 4.2 s"));
    }
    void stationsAreNumberedAmongTheirKind()
    {
        static_assert(kFirstLaneStation == corotracer::kCompactBase);
        CoroutineSnapshot coroutine;
        coroutine.station = kFirstLaneStation + 5;
        coroutine.dialect = Dialect::Lane;
        QCOMPARE(format::station(coroutine), QStringLiteral("5"));
        coroutine.station = 7;
        coroutine.dialect = Dialect::Seqlock;
        QCOMPARE(format::station(coroutine), QStringLiteral("7"));
    }
    void missingEventsAreCountedByReason()
    {
        QCOMPARE(format::missing({5, 0, 3}), QStringLiteral("3 events lost, 5 missed before attach"));
        QCOMPARE(format::missing({0, 0, 1}), QStringLiteral("1 event lost"));
        QCOMPARE(format::missing({0, 2, 0}), QStringLiteral("2 not in the recording"));
        CoroutineSnapshot coroutine;
        coroutine.events = 39;
        QCOMPARE(format::eventCounts(coroutine), QStringLiteral("39 captured, 0 lost"));
        coroutine.lost = 2;
        coroutine.missed = 5;
        QCOMPARE(format::eventCounts(coroutine), QStringLiteral("39 captured, 2 lost, 5 missed before attach"));
        coroutine.unexplained = 7;
        QVERIFY(format::eventCounts(coroutine).endsWith(QStringLiteral(", 7 not in the recording")));
    }

    void formatsDurations_data()
    {
        QTest::addColumn<quint64>("ns");
        QTest::addColumn<QString>("text");
        QTest::newRow("none") << quint64(0) << QStringLiteral("0 ns");
        QTest::newRow("ns") << quint64(999) << QStringLiteral("999 ns");
        QTest::newRow("us") << quint64(12'345) << QStringLiteral("12.3 µs");
        QTest::newRow("us, no point") << quint64(123'456) << QStringLiteral("123 µs");
        QTest::newRow("rounds up to the next unit") << quint64(999'700) << QStringLiteral("1.0 ms");
        QTest::newRow("ms") << quint64(1'100'000) << QStringLiteral("1.1 ms");
        QTest::newRow("s") << quint64(4'200'000'000) << QStringLiteral("4.2 s");
        QTest::newRow("never 60.0 s") << quint64(59'970'000'000) << QStringLiteral("1 min");
        QTest::newRow("min") << quint64(192'000'000'000) << QStringLiteral("3 min 12 s");
        QTest::newRow("h") << quint64(7'500'000'000'000) << QStringLiteral("2 h 5 min");
        QTest::newRow("d") << quint64(99) * 3'600'000'000'000 << QStringLiteral("4 d 3 h");
    }
    void formatsDurations()
    {
        QFETCH(quint64, ns);
        QFETCH(QString, text);
        QCOMPARE(plain(format::duration(ns)), text);
    }

    void formatsCounts()
    {
        QCOMPARE(plain(format::count(0)), QStringLiteral("0"));
        QCOMPARE(plain(format::count(999)), QStringLiteral("999"));
        QCOMPARE(plain(format::count(1000)), QStringLiteral("1 000"));
        QCOMPARE(plain(format::count(1'234'567)), QStringLiteral("1 234 567"));
        QCOMPARE(plain(format::count(UINT64_MAX)), QStringLiteral("18 446 744 073 709 551 615"));
    }

    void formatsRates()
    {
        QCOMPARE(plain(format::rate(0)), QStringLiteral("0/s"));
        QCOMPARE(plain(format::rate(949.6)), QStringLiteral("950/s"));
        QCOMPARE(plain(format::rate(12'300)), QStringLiteral("12.3 k/s"));
        QCOMPARE(plain(format::rate(4'560'000)), QStringLiteral("4.56 M/s"));
        QCOMPARE(plain(format::rate(-1)), QStringLiteral("0/s"));
        QCOMPARE(plain(format::rate(qInf())), QStringLiteral("0/s"));
    }

    void formatsByteCounts()
    {
        QCOMPARE(plain(format::bytes(0)), QStringLiteral("0 B"));
        QCOMPARE(plain(format::bytes(65536)), QStringLiteral("64 KiB"));
        QCOMPARE(plain(format::bytes(1'610'612'736)), QStringLiteral("1.5 GiB"));
    }

    void shortensFunctionNames_data()
    {
        QTest::addColumn<QString>("function");
        QTest::addColumn<QString>("text");
        QTest::newRow("plain") << QStringLiteral("handle") << QStringLiteral("handle");
        QTest::newRow("with result and scopes")
            << QStringLiteral("Task<int> net::Conn::async_read(int, char *)") << QStringLiteral("async_read");
        QTest::newRow("anonymous namespace")
            << QStringLiteral("(anonymous namespace)::serve(Socket)") << QStringLiteral("serve");
        QTest::newRow("template") << QStringLiteral("Task<void (*)(int)> run<std::pair<int, int>>(F)")
                                  << QStringLiteral("run<std::pair<int, int>>");
        QTest::newRow("call operator") << QStringLiteral("Handler::operator()(int)")
                                       << QStringLiteral("Handler::operator()");
        QTest::newRow("unbalanced") << QStringLiteral("a<b<c(") << QStringLiteral("a<b<c(");
        QTest::newRow("empty") << QString() << QString();
    }
    void shortensFunctionNames()
    {
        QFETCH(QString, function);
        QFETCH(QString, text);
        QCOMPARE(format::shortFunction(function.toStdString()), text);
    }

    void formatsLocations()
    {
        Site site;
        site.line = 88;
        site.column = 5;
        site.file = "/src/net/server.cpp";
        site.function = "Task net::async_read(int)";
        QCOMPARE(format::location(&site, 0x1234), QStringLiteral("async_read server.cpp:88"));
        QCOMPARE(format::locationDetails(&site, 0x1234),
                 QStringLiteral("Task net::async_read(int)\n/src/net/server.cpp:88:5\naddress 0x1234"));
        QCOMPARE(format::location(nullptr, 0x1234), QStringLiteral("0x1234"));
        QCOMPARE(format::location(nullptr, 0), QString());
        site.function.clear();
        QCOMPARE(format::location(&site, 0), QStringLiteral("server.cpp:88"));
        site.file.clear();
        QCOMPARE(format::location(&site, 0x99), QStringLiteral("0x99"));
    }

    void formatsResolvedAddresses()
    {
        ShownLocation location;
        location.addr = 0x1234;
        QCOMPARE(format::location(location), QStringLiteral("0x1234"));
        DescribedAddress found;
        found.module = "/bin/server";
        found.frames = {{"net::wait(int)", "/src/wait.h", 9, 2, true},
                        {"net::serve()", "/src/server.cpp", 88, 5, false}};
        location.answer = std::make_shared<const DescribedAddress>(found);
        location.site = format::siteOf(found.frames.front());
        QCOMPARE(format::location(location), QStringLiteral("wait wait.h:9"));
        QCOMPARE(format::locationDetails(location),
                 QStringLiteral("net::wait(int)\n/src/wait.h:9:2\ninlined into net::serve()\n/src/server.cpp:88:5\n"
                                "in /bin/server\naddress 0x1234"));
        QCOMPARE(format::fileAndFolder(*location.site), QStringLiteral("wait.h:9  in /src"));
        found.frames.clear();
        found.remedy = "build it with -g";
        location.answer = std::make_shared<const DescribedAddress>(found);
        location.site.reset();
        QCOMPARE(format::locationDetails(location), QStringLiteral("in /bin/server\naddress 0x1234\nbuild it with -g"));
    }

    /// A name or path from outside cannot hide, overwrite or reverse the text next to it.
    void controlCharactersAreEscaped()
    {
        Site site;
        site.file = "/src/\xE2\x80\xAEgnp.exe\n";
        site.function = "serve\x1b[2J(int)";
        site.line = 7;
        QCOMPARE(format::locationDetails(&site, 0), QStringLiteral("serve\\x1b[2J(int)\n/src/\\u202egnp.exe\\n:7"));
        QCOMPARE(format::location(&site, 0), QStringLiteral("serve\\x1b[2J \\u202egnp.exe\\n:7"));
        QCOMPARE(format::targetName("a\x1b]0;b\nc\xE2\x81\xA6"), QStringLiteral("a ]0;b c"));
        QCOMPARE(format::targetName("a\xD8\x9C"
                                    "b"),
                 QStringLiteral("a b"));
        const char *const family = "\xF0\x9F\x91\xA8\xE2\x80\x8D\xF0\x9F\x91\xA9";
        QCOMPARE(format::targetName(family), QString::fromUtf8(family));
        QCOMPARE(format::printableLines(QStringLiteral("one\x1b\ntwo\u2067")), QStringLiteral("one\\x1b\ntwo\\u2067"));
        DescribedAddress found;
        found.module = "/bin/\x7f";
        ShownLocation location;
        location.answer = std::make_shared<const DescribedAddress>(found);
        QCOMPARE(format::locationDetails(location), QStringLiteral("in /bin/\\x7f"));
    }

    /// Text that looks like HTML is shown verbatim.
    void showsHtmlVerbatim()
    {
        QCOMPARE(format::verbatim(QStringLiteral("1 < 2\nand 4 > 3")), QStringLiteral("1 < 2\nand 4 > 3"));
        const QString shown = format::verbatim(QStringLiteral("it begins with <b>502</b>\nBad gateway"));
        QTextDocument label;
        label.setHtml(shown);
        QCOMPARE(label.toPlainText(), QStringLiteral("it begins with <b>502</b>\nBad gateway"));
    }

    void formatsExitStatuses()
    {
        QCOMPARE(format::exitText({3, 0}), QStringLiteral("exited with status 3"));
        QVERIFY(format::exitText({0, 11}).startsWith(QLatin1String("killed by signal 11 (")));
    }
};

CT_QT_SUITE(TestFormat)
#include "tst_format.moc"
