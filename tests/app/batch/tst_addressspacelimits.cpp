// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// The real program and its targets under a limit of the address space (ulimit -v).
#include "tests/support/qtsuite.h"
#include "tests/support/runner.h"

using runner::Batch;
using runner::integer;
using runner::shell;
using runner::target;
using runner::words;
using runner::wrap;

class TestAddressSpaceLimits : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void initTestCase()
    {
        if (ct::test::kAddressSanitizer)
            CT_QSKIP("no program starts under these limits with address sanitizer, which reserves terabytes of address "
                     "space");
    }

    /// The probe maps a quarter of the remaining address space, and the capture is complete.
    void capturesATargetInALimitedAddressSpace()
    {
        Batch batch({}, shell(qPrintable(
                            QStringLiteral("ulimit -v 2000000; exec %1 --threads 2 --transitions 100000 --rate 100000")
                                .arg(runner::binary("ct_storm")))));
        const int status = batch.run();
        QVERIFY2(status == 0, batch.err().constData());
        runner::compareAccounts(batch.summary(), batch.truth());
        QCOMPARE(integer(batch.summary(), "processes_unmapped"), 0);
        QCOMPARE(integer(batch.summary(), "processes_partly_mapped"), 1);
        QVERIFY(integer(batch.summary(), "events") > 0);
        QVERIFY2(!batch.err().contains("ulimit"), batch.err().constData());
    }

    /// If the mapped part of the region is too small, messages name the limit, during the run and at its end.
    void reportsAnAddressSpaceForFewCoroutines()
    {
        Batch batch({}, shell(qPrintable(QStringLiteral("ulimit -v 100000; exec %1 --coroutines 100000 --seconds 1")
                                             .arg(runner::binary("ct_many")))));
        const int status = batch.run();
        QVERIFY2(status == 0, batch.err().constData());
        QCOMPARE(integer(batch.summary(), "processes_partly_mapped"), 1);
        QVERIFY(integer(batch.summary(), "untraced_coroutines") > 0);
        QVERIFY2(batch.err().contains("Raise the limit of the program (ulimit -v)"), batch.err().constData());
        QVERIFY2(batch.err().contains("raise its limit, ulimit -v)"), batch.err().constData());
        QVERIFY2(!batch.err().contains("file system"), batch.err().constData());
    }

    /// The engine is limited too, so its region is smaller.
    void aLimitedEngineMakesASmallerRegion()
    {
        Batch batch({}, target("ct_storm", words("--threads 2 --transitions 100000 --rate 100000")));
        wrap(batch, {QStringLiteral("sh"), QStringLiteral("-c"), QStringLiteral("ulimit -v 4000000; exec \"$@\""),
                     QStringLiteral("sh")});
        const int status = batch.run();
        QVERIFY2(status == 0, batch.err().constData());
        runner::compareAccounts(batch.summary(), batch.truth());
        QVERIFY(integer(batch.summary(), "events") > 0);
        QVERIFY2(batch.err().contains("ulimit -v"), batch.err().constData());
        QVERIFY(integer(batch.summary(), "stations_max") < 2'097'150);
    }

    /// Any small limit yields a capture, or a message and an exit status.
    void reportsTooLittleAddressSpaceForTheEngine_data()
    {
        QTest::addColumn<int>("kib");
        for (const int kib : {250'000, 300'000, 350'000, 400'000, 450'000, 500'000, 600'000, 800'000, 1'200'000})
            QTest::addRow("%d", kib) << kib;
    }
    void reportsTooLittleAddressSpaceForTheEngine()
    {
        QFETCH(int, kib);
        Batch batch({}, {QStringLiteral("--"), QStringLiteral("/bin/true")});
        batch.process().setArguments(QStringList{QStringLiteral("-o"), batch.path("run.ctr")} +
                                     batch.process().arguments());
        wrap(batch, {QStringLiteral("sh"), QStringLiteral("-c"), QStringLiteral("ulimit -v %1; exec \"$@\"").arg(kib),
                     QStringLiteral("sh")});
        const int status = batch.run();
        QVERIFY2(batch.process().exitStatus() == QProcess::NormalExit, batch.err().constData());
        QVERIFY2(status == 0 || batch.err().contains("ulimit -v"), batch.err().constData());
    }

    /// A program without address space for the region runs as usual. The engine reports why it sees no coroutine.
    void reportsATargetWithoutAddressSpaceForTheRegion()
    {
        Batch batch({}, shell(qPrintable(QStringLiteral("ulimit -v 12000; exec %1 --coroutines 10 --seconds 1")
                                             .arg(runner::binary("ct_many")))));
        const int status = batch.run();
        QVERIFY2(status == 0, batch.err().constData());
        QCOMPARE(integer(batch.summary(), "processes_unmapped"), 1);
        QVERIFY2(batch.err().contains("address space"), batch.err().constData());
        QVERIFY2(batch.err().contains("ulimit -v"), batch.err().constData());
    }
};

CT_QT_SUITE(TestAddressSpaceLimits)
#include "tst_addressspacelimits.moc"
