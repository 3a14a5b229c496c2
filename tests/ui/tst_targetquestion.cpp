// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// The question about a running target concerns the run that it was asked about, and no later one.
#include "core/session/run.h"
#include "core/session/startrequest.h"
#include "tests/support/qtsuite.h"
#include "tests/ui/guisupport.h"
#include "ui/targetquestion.h"

#include <QWidget>

using namespace ct;
using test::kPatienceMs;

class TestTargetQuestion : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void aRequestIsSupersededWithItsRun_data()
    {
        QTest::addColumn<bool>("terminates");
        QTest::newRow("after the answer") << true;
        QTest::newRow("before the answer") << false;
    }
    void aRequestIsSupersededWithItsRun()
    {
        QFETCH(bool, terminates);
        QWidget window;
        window.show();
        LaunchSpec sleeper;
        sleeper.shellLine = "exec sleep 1000";
        StartRequest request;
        request.what = sleeper;
        const auto first = Run::start(request, {});
        const auto second = Run::start(request, {});
        QVERIFY(first && second);
        TargetQuestion question(&window);
        question.setRun(first->get());
        bool isCalled = false;
        question.ask(QStringLiteral("?"), [&isCalled] { isCalled = true; });
        QTRY_VERIFY(gui::topLevel<QWidget>("runningTargetBox"));
        if (!terminates)
            question.setRun(second->get());
        QVERIFY(gui::click(gui::topLevel<QWidget>("runningTargetBox"), "terminateButton"));
        if (terminates)
            question.setRun(second->get());
        question.onRunEnded();
        QCoreApplication::processEvents();
        QVERIFY(!isCalled);
        // The answer concerns the first run only.
        QVERIFY((*second)->targetRuns());
        (*first)->terminateTarget();
        (*second)->terminateTarget();
        for (const auto *run : {&*first, &*second})
            QTRY_COMPARE_WITH_TIMEOUT((*run)->state(), RunState::Ended, kPatienceMs);
    }

private:
    gui::Sandbox m_sandbox;
};

CT_QT_SUITE(TestTargetQuestion)
#include "tst_targetquestion.moc"
