// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// A stand-in for dot, a script in a folder of its own that is the whole PATH.
#include "core/target/dotprocess.h"
#include "tests/support/qtsuite.h"

#include <QFile>
#include <QSignalSpy>
#include <QTemporaryDir>

using namespace ct;

class TestDotProcess : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void init() { m_path = qgetenv("PATH"); }
    void cleanup() { qputenv("PATH", m_path); }

    void givesItsOutput()
    {
        install("read line; echo \"$1 $line\"");
        QVERIFY(DotProcess::isInstalled());
        DotProcess dot;
        QSignalSpy finished(&dot, &DotProcess::finished);
        dot.start("digraph\n");
        QVERIFY(dot.isRunning());
        QTRY_COMPARE(finished.count(), 1);
        QCOMPARE(finished.front().front().toByteArray(), QByteArray("-Tplain digraph\n"));
        QVERIFY(!dot.isRunning());
    }

    void failuresHaveNoOutput()
    {
        for (const char *const script : {"echo partial; exit 1", "echo partial; kill -9 $$"}) {
            install(script);
            DotProcess dot;
            QSignalSpy finished(&dot, &DotProcess::finished);
            dot.start("x");
            QTRY_COMPARE(finished.count(), 1);
            QVERIFY(finished.front().front().toByteArray().isEmpty());
        }
        qputenv("PATH", "/nonexistent");
        QVERIFY(!DotProcess::isInstalled());
        DotProcess dot;
        QSignalSpy finished(&dot, &DotProcess::finished);
        dot.start("x");
        QTRY_COMPARE(finished.count(), 1);
        QVERIFY(finished.front().front().toByteArray().isEmpty());
    }

    void aProcessThatTakesTooLongIsKilled()
    {
        install("echo $$ > \"${0%/*}/pid\"; exec /bin/sleep 1000");
        DotProcess dot;
        QSignalSpy finished(&dot, &DotProcess::finished);
        dot.start("x", 50);
        QTRY_COMPARE(finished.count(), 1);
        QVERIFY(finished.front().front().toByteArray().isEmpty());
        QVERIFY(!dot.isRunning());
    }

    void aCancelledProcessGivesNothing()
    {
        install("echo > \"${0%/*}/started\"; exec /bin/sleep 1000");
        DotProcess dot;
        QSignalSpy finished(&dot, &DotProcess::finished);
        dot.start("x");
        QTRY_VERIFY(QFile::exists(m_folder->filePath(QStringLiteral("started"))));
        dot.cancel();
        QVERIFY(!dot.isRunning());
        install("echo second");
        dot.start("x");
        QTRY_COMPARE(finished.count(), 1);
        QCOMPARE(finished.front().front().toByteArray(), QByteArray("second\n"));
    }

private:
    void install(const char *script)
    {
        m_folder = std::make_unique<QTemporaryDir>();
        QFile file(m_folder->filePath(QStringLiteral("dot")));
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write("#!/bin/sh\n" + QByteArray(script) + "\n");
        file.close();
        QVERIFY(file.setPermissions(QFile::ReadOwner | QFile::WriteOwner | QFile::ExeOwner));
        qputenv("PATH", QFile::encodeName(m_folder->path()));
    }

    QByteArray m_path;
    std::unique_ptr<QTemporaryDir> m_folder;
};

CT_QT_SUITE(TestDotProcess)
#include "tst_dotprocess.moc"
