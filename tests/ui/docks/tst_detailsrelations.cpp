// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// What the details show about waits: the await chain, several objects, holders, wakers left.
#include "tests/models/notedtarget.h"
#include "tests/support/qtsuite.h"
#include "tests/ui/guisupport.h"
#include "ui/docks/detailsdock.h"
#include "ui/format/theme.h"

#include <QLabel>
#include <QSignalSpy>

using namespace ct;
using test::NotedTarget;

namespace {

constexpr std::uint64_t kLock = 0x7f4711001000;

struct Details {
    NotedTarget target;
    DetailsDock dock;

    Details()
    {
        dock.resize(640, 560);
        dock.setTrace(target.population, target.history);
        dock.show();
    }
    QString row(CoroutineId id, const char *name)
    {
        dock.select(kNoCoroutine);
        dock.select(id);
        const auto *label = dock.findChild<QLabel *>(QLatin1String(name));
        return label->isVisible() ? label->text().replace(QChar(0xA0), u' ') : QString();
    }
    QString toolTip(const char *name) { return dock.findChild<QLabel *>(QLatin1String(name))->toolTip(); }
    CoroutineId suspended(const std::string &name, SiteId site)
    {
        const CoroutineId id = target.born(kNoCoroutine, name);
        target.suspend(id, site);
        return id;
    }
};

/// "main" awaits "handler", "handler" awaits "query", and "query" waits for the lock that "writer" holds.
void fillChain(Details &details)
{
    NotedTarget &target = details.target;
    const SiteId site = target.site("db::query(int)", "/src/db.cpp", 88);
    const CoroutineId main = details.suspended("main", site);
    const CoroutineId handler = details.suspended("handler", site);
    const CoroutineId query = details.suspended("query", site);
    const CoroutineId writer = details.suspended("writer", site);
    target.waits(main, WaitKind::Coroutine, 0, handler);
    target.waits(handler, WaitKind::Coroutine, 0, query);
    target.waits(query, WaitKind::Lock, kLock);
    target.batch.notes.uses = {{writer, 1, UseKind::Acquired, kLock, site, target.now, NotedTarget::kPid, 101},
                               {writer, 1, UseKind::Acquired, kLock + 64, site, target.now, NotedTarget::kPid, 101}};
    target.commit();
}

}  // namespace

class TestDetailsRelations : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void init() { applyTheme(Theme::Light); }

    void anAwaitChainIsAStack()
    {
        Details details;
        fillChain(details);
        const QString chain = details.row(1, "detailsChain");
        const QStringList lines = chain.split(QStringLiteral("<br/>&larr; "));
        QCOMPARE(lines.size(), 4);  // the innermost first
        QCOMPARE(lines[0], QStringLiteral("lock 0x7f4711001000"));
        QVERIFY2(lines[1].startsWith(QLatin1String("<a href=\"2\">query #2</a> at ")), qPrintable(chain));
        QVERIFY2(lines[1].contains(QLatin1String("db.cpp:88")), qPrintable(chain));
        QVERIFY2(lines[2].startsWith(QLatin1String("<b>handler #1</b> at ")), qPrintable(chain));
        QVERIFY2(lines[3].startsWith(QLatin1String("<a href=\"0\">main #0</a> at ")), qPrintable(chain));
        QVERIFY(details.toolTip("detailsChain").contains(QLatin1String("suspended at")));
        QVERIFY(details.row(1, "detailsHolders").isEmpty());  // it does not wait for the lock itself
        gui::takePicture(&details.dock, "details-chain");
        applyTheme(Theme::Dark);
        gui::takePicture(&details.dock, "details-chain-dark");
        applyTheme(Theme::Light);

        QSignalSpy selected(&details.dock, &DetailsDock::coroutineSelected);
        auto *label = details.dock.findChild<QLabel *>(QStringLiteral("detailsChain"));
        QTest::mouseClick(label, Qt::LeftButton, {}, QPoint(30, label->height() - 8));
        QCOMPARE(selected.count(), 1);
        QCOMPARE(selected.at(0).at(0).toUInt(), 0U);
        QVERIFY(details.row(3, "detailsChain").isEmpty());
    }

    void aLockShowsItsHolder()
    {
        Details details;
        fillChain(details);
        const QString holders = details.row(2, "detailsHolders");
        QVERIFY2(holders.contains(QLatin1String("<a href=\"3\">writer #3</a>, acquired at")), qPrintable(holders));
        QVERIFY(holders.contains(QLatin1String("db.cpp:88")));
        const QString held = details.row(3, "detailsHolds");
        QVERIFY2(held.contains(QLatin1String("0x7f4711001000 for")), qPrintable(held));
        QVERIFY(held.contains(QLatin1String("0x7f4711001040 for")));
        gui::takePicture(&details.dock, "details-holds");
        details.target.batch.notes.uses = {
            {3, 1, UseKind::Released, kLock, 0, details.target.now, NotedTarget::kPid, 101}};
        details.target.commit();
        QVERIFY(details.row(2, "detailsHolders").isEmpty());
    }

    void aCycleIsCalledADeadlock()
    {
        Details details;
        fillChain(details);
        details.target.waits(2, WaitKind::Coroutine, 0, 0);
        details.target.commit();
        QVERIFY(details.row(1, "detailsChain").contains(QLatin1String(": a deadlock")));
    }

    void severalObjectsAreAllShown()
    {
        Details details;
        fillChain(details);
        const auto part = [](std::uint32_t index, bool all) { return 2 * index + (all ? 2U : 1U); };
        details.target.batch.notes.waits = {
            {3, 0, WaitKind::Lock, kLock, kNoCoroutine, part(0, false)},
            {3, 0, WaitKind::Descriptor, 9, kNoCoroutine, part(1, false)},
            {0, 0, WaitKind::Coroutine, 0, 1, part(0, true)},
            {0, 0, WaitKind::Coroutine, 0, 2, part(1, true)},
        };
        details.target.commit();
        QCOMPARE(details.row(3, "detailsWaits"), QStringLiteral("any of: lock 0x7f4711001000; descriptor 9"));
        QCOMPARE(details.row(0, "detailsWaits"), QStringLiteral("all of: handler #1; query #2"));
    }

    void wakersLeftAreShown()
    {
        Details details;
        fillChain(details);
        QVERIFY(details.row(2, "detailsWakersLeft").isEmpty());
        details.target.batch.notes.wakersLeft = {{2, 1, 0, details.target.now}, {3, 1, 2, details.target.now}};
        details.target.commit();
        QCOMPARE(details.row(2, "detailsWakersLeft"), QStringLiteral("none: nothing will wake it"));
        QCOMPARE(details.row(3, "detailsWakersLeft"), QStringLiteral("2"));
    }

    void aLongChainFitsIntoTheDock()
    {
        Details details;
        NotedTarget &target = details.target;
        const SiteId site = target.site("f()", "/src/a.cpp", 1);
        for (int i = 0; i < 200; ++i)
            details.suspended("<b>a coroutine with a rather long name " + std::to_string(i), site);
        for (CoroutineId id = 0; id + 1 < 200; ++id)
            target.waits(id, WaitKind::Coroutine, 0, id + 1);
        target.commit();
        const QString chain = details.row(100, "detailsChain");
        QVERIFY(chain.startsWith(QChar(0x2026)) && chain.endsWith(QChar(0x2026)));
        QVERIFY(chain.contains(QLatin1String("&lt;b&gt;")));
        QVERIFY2(chain.contains(QLatin1String("#100</b>")), qPrintable(chain));
        QVERIFY(details.dock.width() <= 700);
        gui::takePicture(&details.dock, "details-long-chain");
    }

private:
    gui::Sandbox m_sandbox;
};

CT_QT_SUITE(TestDetailsRelations)
#include "tst_detailsrelations.moc"
