// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// The real program when the system starts no thread for it: a message and an exit status, no abort and no endless wait.
#include "app/batch/batch.h"
#include "tests/support/nothreads.h"
#include "tests/support/qtsuite.h"
#include "tests/support/runner.h"

#include <unistd.h>

using runner::Batch;

namespace {

constexpr int kNoFilter = 99;

/// The program starts with the filter, or ends with kNoFilter.
void loseThreads(QProcess &process)
{
    process.setChildProcessModifier([] {
        if (!ct::test::loseThreads())
            ::_exit(kNoFilter);
    });
}

}  // namespace

class TestThreadLimits : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void initTestCase()
    {
        if (ct::test::kAddressSanitizer)
            CT_QSKIP("address sanitizer needs threads of its own");
    }

    void aBatchWithoutThreadsEnds()
    {
        Batch batch({QStringLiteral("--")}, {QStringLiteral("/bin/true")});
        loseThreads(batch.process());
        check(batch, batch.run());
    }

    void aWindowWithoutThreadsEnds()
    {
        Batch window;
        window.process().setArguments({});
        loseThreads(window.process());
        check(window, window.run());
    }

private:
    static void check(Batch &program, int status)
    {
        if (status == kNoFilter)
            CT_QSKIP("this machine does not let us filter system calls");
        QVERIFY2(status == ct::kExitCapture, program.err().constData());
        QVERIFY2(program.err().contains("cannot start a thread"), program.err().constData());
        QVERIFY2(program.err().contains("ulimit -u"), program.err().constData());
    }
};

CT_QT_SUITE(TestThreadLimits)
#include "tst_threadlimits.moc"
