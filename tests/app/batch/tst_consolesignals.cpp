// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/batch/consolesignals.h"
#include "tests/support/qtsuite.h"

#include <csignal>

using namespace ct;

namespace {

struct sigaction actionOf(int signal)
{
    struct sigaction action {};
    sigaction(signal, nullptr, &action);
    return action;
}

}  // namespace

class ConsoleSignalsTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void theHandlersFromBeforeAreBack()
    {
        const auto ofQtTest = actionOf(SIGINT).sa_handler;
        noteEndSignals();
        const auto note = actionOf(SIGINT).sa_handler;
        QVERIFY(note != ofQtTest);
        {
            ConsoleSignals signals;
            QVERIFY(actionOf(SIGINT).sa_handler != note);
        }
        QVERIFY(actionOf(SIGINT).sa_handler == note);
        QVERIFY(actionOf(SIGUSR1).sa_handler != SIG_DFL);  // a late request does not end the program
    }

    void aSignalThatNobodyReceivedIsNoted()
    {
        noteEndSignals();
        QCOMPARE(notedEndSignal(), 0);
        {
            ConsoleSignals signals;
            raise(SIGUSR1);
            raise(SIGTERM);
            QCOMPARE(notedEndSignal(), 0);
        }
        QCOMPARE(notedEndSignal(), SIGTERM);
    }
};

CT_QT_SUITE(ConsoleSignalsTest)
#include "tst_consolesignals.moc"
