// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// For the tests of the query dock: the dock, its parts, and a trace.
#pragma once

#include "tests/models/notedtarget.h"
#include "tests/support/paths.h"
#include "tests/ui/guisupport.h"
#include "ui/docks/querydock.h"
#include "ui/widgets/queryeditor.h"

#include <QAbstractItemModelTester>
#include <QLabel>
#include <QTabWidget>
#include <QTableView>

namespace gui {

using namespace ct;

/// The dock on a trace that the test writes.
struct Query {
    test::NotedTarget target;
    QueryDock dock;
    QueryEditor *editor = dock.findChild<QueryEditor *>(QStringLiteral("queryEditor"));
    QTableView *table = dock.findChild<QTableView *>(QStringLiteral("queryTable"));
    QTabWidget *tabs = dock.findChild<QTabWidget *>(QStringLiteral("queryTabs"));
    QAbstractItemModelTester tester{table->model(), QAbstractItemModelTester::FailureReportingMode::QtTest};

    Query()
    {
        dock.resize(760, 520);
        dock.setTrace([this] { return QueriedTrace{target.population, target.history, {}, {}, {}, {}}; });
        dock.show();
    }
    /// Coroutines that wait for a lock.
    void coroutines(int count, const std::string &name = {})
    {
        const SiteId site = target.site("server::handle(Request)", "/src/server.cpp", 33);
        for (int i = 0; i < count; ++i) {
            const CoroutineId id = target.born(kNoCoroutine, name);
            for (int step = 0; step < 4; ++step) {
                target.now += 1000U + static_cast<std::uint64_t>((i * 37 + step * 91) % 500) * 1000U;
                target.suspend(id, site);
                target.resume(id);
            }
            target.suspend(id, site);
            target.waits(id, WaitKind::Lock, 0xBEEF);
        }
        target.commit();
    }
    QString message()
    {
        return dock.findChild<QLabel *>(QStringLiteral("queryMessage"))->text().replace(QChar(0x202F), u' ');
    }
    bool isBusy() { return dock.findChild<QWidget *>(QStringLiteral("queryCancel"))->isEnabled(); }
    void type(const char *text)
    {
        editor->setFocus();
        editor->selectAll();
        QTest::keyClicks(editor, QString::fromLatin1(text));
    }
    /// Types a statement and runs it. Returns false if it does not end.
    bool run(const QByteArray &sql)
    {
        type(sql.constData());
        QTest::keyClick(editor, Qt::Key_Return, Qt::ControlModifier);
        return QTest::qWaitFor([this] { return !isBusy(); }, test::kPatienceMs);
    }
    QString cell(int row, int column) { return table->model()->index(row, column).data().toString(); }
};

}  // namespace gui
