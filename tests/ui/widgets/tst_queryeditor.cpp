// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Completion in the editor for queries, with the keyboard only.
#include "tests/support/qtsuite.h"
#include "tests/ui/guisupport.h"
#include "ui/widgets/queryeditor.h"

#include <QAbstractItemView>
#include <QCompleter>
#include <QLineEdit>
#include <QVBoxLayout>

using namespace ct;

namespace {

struct Editor {
    QWidget window;
    QueryEditor *editor = new QueryEditor;

    Editor()
    {
        auto *layout = new QVBoxLayout(&window);
        layout->addWidget(editor);
        layout->addWidget(new QLineEdit);
        window.show();
        window.activateWindow();
        editor->setFocus();
        (void)QTest::qWaitFor([this] { return editor->hasFocus(); });
    }
    QAbstractItemView *popup() const { return editor->findChild<QCompleter *>()->popup(); }
    /// Types a text and asks for completions. Returns false if none are offered.
    bool complete(const char *text) const
    {
        QTest::keyClicks(editor, QString::fromLatin1(text));
        QTest::keyClick(editor, Qt::Key_Space, Qt::ControlModifier);
        return popup()->isVisible();
    }
    QStringList offered() const
    {
        QStringList names;
        for (int row = 0; row < popup()->model()->rowCount(); ++row)
            names << popup()->model()->index(row, 0).data().toString();
        return names;
    }
};

}  // namespace

class TestQueryEditor : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void aKeyAcceptsACompletion_data()
    {
        QTest::addColumn<int>("key");
        QTest::newRow("Return") << int(Qt::Key_Return);
        QTest::newRow("Enter") << int(Qt::Key_Enter);
        QTest::newRow("Tab") << int(Qt::Key_Tab);
    }

    void aKeyAcceptsACompletion()
    {
        QFETCH(int, key);
        const Editor test;
        QVERIFY(test.complete("SELECT * FROM cor"));
        QTest::keyClick(test.popup(), Qt::Key_Down);
        const QString chosen = test.popup()->currentIndex().data().toString();
        QVERIFY(chosen.startsWith(QLatin1String("cor"), Qt::CaseInsensitive));
        QTest::keyClick(test.popup(), Qt::Key(key));
        QCOMPARE(test.editor->toPlainText(), QStringLiteral("SELECT * FROM ") + chosen);
        QVERIFY(!test.popup()->isVisible());
        QVERIFY(test.editor->hasFocus());
    }

    void escapeClosesTheCompletions()
    {
        const Editor test;
        QVERIFY(test.complete("SELECT * FROM cor"));
        QTest::keyClick(test.popup(), Qt::Key_Escape);
        QVERIFY(!test.popup()->isVisible());
        QCOMPARE(test.editor->toPlainText(), QStringLiteral("SELECT * FROM cor"));
    }

    void typingNarrowsTheCompletions()
    {
        const Editor test;
        QVERIFY(test.complete("SELECT co"));
        const qsizetype before = test.offered().size();
        QTest::keyClick(test.popup(), Qt::Key_R);
        QCOMPARE(test.editor->toPlainText(), QStringLiteral("SELECT cor"));
        QVERIFY(test.popup()->isVisible());
        QVERIFY(test.offered().size() < before);
        QTest::keyClick(test.popup(), Qt::Key_Z);
        QVERIFY(!test.popup()->isVisible());
    }

    void columnsFollowADot()
    {
        const Editor alias;
        QVERIFY(alias.complete("SELECT c."));
        QVERIFY(alias.offered().contains(QLatin1String("coroutine")));
        QVERIFY(alias.offered().contains(QLatin1String("rule")));
        QVERIFY(!alias.offered().contains(QLatin1String("SELECT")));
        const Editor table;
        QVERIFY(table.complete("SELECT coroutines."));
        QVERIFY(table.offered().contains(QLatin1String("name")));
        QVERIFY(!table.offered().contains(QLatin1String("rule")));
    }
};

CT_QT_SUITE(TestQueryEditor)
#include "tst_queryeditor.moc"
