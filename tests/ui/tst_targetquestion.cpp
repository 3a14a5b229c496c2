// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// The question about a running target concerns the run that it was asked about, and no later one.
#include "core/session/run.h"
#include "core/session/runjudge.h"
#include "core/session/startrequest.h"
#include "core/symbols/symbolworker.h"
#include "tests/support/qtsuite.h"
#include "tests/ui/guisupport.h"
#include "ui/targetquestion.h"

#include <QWidget>

using namespace ct;
using test::kPatienceMs;

class TestTargetQuestion : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void aNewRunCancelsThePendingRequest_data()
    {
        QTest::addColumn<bool>("isAnswered");
        QTest::addColumn<bool>("isQueued");
        QTest::newRow("while the question is open") << false << false;
        QTest::newRow("while the target ends") << true << false;
        QTest::newRow("while the request is queued") << true << true;
    }
    void aNewRunCancelsThePendingRequest()
    {
        QFETCH(bool, isAnswered);
        QFETCH(bool, isQueued);
        QWidget window;
        window.show();
        LaunchSpec sleeper;
        sleeper.shellLine = "exec sleep 1000";
        StartRequest request;
        request.what = sleeper;
        RunSettings settings;
        settings.symbols = std::make_shared<SymbolWorker>();
        const auto first = Run::start(request, settings);
        const auto second = Run::start(request, settings);
        QVERIFY(first && second);
        TargetQuestion question(&window);
        question.setRun(first->get());
        bool isCalled = false;
        question.ask(QStringLiteral("?"), [&isCalled] { isCalled = true; });
        QTRY_VERIFY(gui::topLevel<QWidget>("runningTargetBox"));
        if (isAnswered)
            QVERIFY(gui::click(gui::topLevel<QWidget>("runningTargetBox"), "terminateButton"));
        if (isQueued)
            question.onRunEnded();
        question.setRun(second->get());
        QTRY_VERIFY(!gui::topLevel<QWidget>("runningTargetBox"));
        question.onRunEnded();
        QCoreApplication::processEvents();
        QVERIFY(!isCalled);
        // Termination sets the instant of the judgement at once, so an answer about the first run has not reached the
        // second one.
        QCOMPARE((*second)->judge()->instantJudge()->instant(), 0U);
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
