// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// --screenshot: a picture, or a reason on standard error with an exit status for it.
#include "tests/support/qtsuite.h"
#include "tests/support/runner.h"

#include <QImage>

namespace {

class Window {
public:
    explicit Window(const QStringList &arguments)
    {
        QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
        environment.insert(QStringLiteral("QT_QPA_PLATFORM"), QStringLiteral("offscreen"));
        environment.insert(QStringLiteral("HOME"), m_directory.path());
        environment.insert(QStringLiteral("XDG_CACHE_HOME"), m_directory.filePath(QStringLiteral("cache")));
        environment.insert(QStringLiteral("XDG_CONFIG_HOME"), m_directory.filePath(QStringLiteral("config")));
        // The offscreen plugin complains about size hints.
        environment.insert(QStringLiteral("QT_LOGGING_RULES"), QStringLiteral("default.warning=false"));
        m_process.setProcessEnvironment(environment);
        m_process.setProgram(runner::binary("corotracer-gui"));
        m_process.setArguments(QStringList{QStringLiteral("--screenshot"), picture()} + arguments);
    }
    QString path(const char *name) const { return m_directory.filePath(QLatin1String(name)); }
    QString picture() const { return path("picture.png"); }
    void setPicture(const QString &file)
    {
        QStringList arguments = m_process.arguments();
        arguments[1] = file;
        m_process.setArguments(arguments);
    }
    void setInput(const QString &file) { m_process.setStandardInputFile(file); }
    void addArguments(const QStringList &more) { m_process.setArguments(m_process.arguments() + more); }
    int run()
    {
        m_process.start();
        if (!m_process.waitForFinished(runner::kPatienceMs) || m_process.exitStatus() != QProcess::NormalExit)
            return -1;
        return m_process.exitCode();
    }
    QByteArray err() { return m_err += m_process.readAllStandardError(); }

private:
    QTemporaryDir m_directory;
    QProcess m_process;
    QByteArray m_err;
};

bool writeFile(const QString &path, const QByteArray &content)
{
    QFile file(path);
    return file.open(QIODevice::WriteOnly) && file.write(content) == content.size();
}

}  // namespace

class ScreenshotTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    /// The picture is due at once, or after the failure.
    void failsIfTheSourceCannotBeOpened_data()
    {
        QTest::addColumn<QStringList>("source");
        QTest::addColumn<int>("status");
        QTest::addColumn<QString>("reason");
        const auto row = [](const char *name, const char *source, int status, const char *reason) {
            QTest::newRow(name) << runner::words(source) << status << QString::fromLatin1(reason);
        };
        row("no file", "/no/such/run.ctr", 3, "/no/such/run.ctr");
        row("no lines", "/no/such/run.jsonl", 3, "/no/such/run.jsonl");
        row("named as input", "--input /no/such/run.ctr", 3, "/no/such/run.ctr");
        row("a folder", "/proc/self", 3, "/proc/self");
        row("no region", "--attach /no/such/r.shm", 3, "/no/such/r.shm");
        row("no region, as a file", "/no/such/R.SHM", 3, "/no/such/R.SHM");
        row("no program", "-- /no/such/program", 127, "/no/such/program");
        row("no program in PATH", "-- no-such-program", 127, "no-such-program");
        row("no directory for the region", "--shm /no/such/dir/r.shm --listen", 3, "/no/such/dir/r.shm");
    }
    void failsIfTheSourceCannotBeOpened()
    {
        QFETCH(QStringList, source);
        QFETCH(int, status);
        QFETCH(QString, reason);
        for (const char *seconds : {"0.001", "2"}) {
            Window window(QStringList{QStringLiteral("--screenshot-after"), QLatin1String(seconds)} + source);
            QCOMPARE(window.run(), status);
            QVERIFY2(window.err().contains(reason.toUtf8()), window.err().constData());
            QVERIFY(!QFile::exists(window.picture()));
        }
    }

    void failsForFilesThatAreNoRecordings_data()
    {
        QTest::addColumn<QString>("name");
        QTest::addColumn<QByteArray>("content");
        QTest::newRow("text") << QStringLiteral("a.txt") << QByteArray("hello\n");
        QTest::newRow("text called so") << QStringLiteral("a.ctr") << QByteArray("hello\n");
        QTest::newRow("empty") << QStringLiteral("A.CTR") << QByteArray();
        QTest::newRow("region") << QStringLiteral("a.shm") << QByteArray(8192, 'x');
    }
    void failsForFilesThatAreNoRecordings()
    {
        QFETCH(QString, name);
        QFETCH(QByteArray, content);
        Window window({QStringLiteral("--screenshot-after"), QStringLiteral("0.2")});
        const QString path = window.path(qPrintable(name));
        QVERIFY(writeFile(path, content));
        window.addArguments({path});
        QCOMPARE(window.run(), 3);
        QVERIFY2(window.err().contains(name.toUtf8()), window.err().constData());
        QVERIFY(!QFile::exists(window.picture()));
    }

    void failsForInputThatIsNoRecording()
    {
        for (const char *seconds : {"0.001", "5"}) {
            Window window({QStringLiteral("--screenshot-after"), QLatin1String(seconds), QStringLiteral("--input"),
                           QStringLiteral("-")});
            const QString text = window.path("text");
            QVERIFY(writeFile(text, "no recording\n"));
            window.setInput(text);
            // A picture that is due before the first byte is read shows a waiting window.
            const int status = window.run();
            QVERIFY(status == 3 || (status == 0 && qstrcmp(seconds, "5") != 0));
            QCOMPARE(QFile::exists(window.picture()), status == 0);
        }
    }

    /// A recording that is still written has no end of loading to wait for.
    void showsARecordingThatIsStillWritten()
    {
        runner::Batch batch({QStringLiteral("-o"), QStringLiteral("o.ctr")},
                            runner::target("ct_storm", runner::words("--coroutines 5 --seconds 600 --rate 1000")));
        batch.process().setWorkingDirectory(QFileInfo(batch.path("x")).path());
        QVERIFY(batch.start());
        QTRY_VERIFY_WITH_TIMEOUT(QFileInfo(batch.path("o.ctr")).size() > 4096, runner::kPatienceMs);
        Window window({QStringLiteral("--screenshot-after"), QStringLiteral("0.001"), batch.path("o.ctr")});
        QCOMPARE(window.run(), 0);
        QVERIFY(QFile::exists(window.picture()));
        batch.signal(SIGTERM);
        QVERIFY(batch.wait());
    }

    /// An unwritable picture is refused before the target starts. A failed run keeps an older picture.
    void failsIfThePictureCannotBeWritten()
    {
        Window window{QStringList()};
        const QString mark = window.path("mark");
        window.addArguments({QStringLiteral("--"), QStringLiteral("touch"), mark});
        window.setPicture(QStringLiteral("/no/such/dir/p.png"));
        QCOMPARE(window.run(), 4);
        QVERIFY2(window.err().contains("/no/such/dir/p.png: No such file or directory"), window.err().constData());
        window.setPicture(QStringLiteral("/proc"));
        QCOMPARE(window.run(), 4);
        QVERIFY(window.err().contains("/proc: "));
        QVERIFY(!QFile::exists(mark));

        Window fails({QStringLiteral("/no/such/run.ctr")});
        QVERIFY(writeFile(fails.picture(), "an older picture"));
        QCOMPARE(fails.run(), 3);
        QCOMPARE(runner::readAll(fails.picture()), QByteArray("an older picture"));
    }

    void aFullDiskFails()
    {
        if (!QFile::exists(QStringLiteral("/dev/full")))
            CT_QSKIP("no /dev/full");
        Window window({QStringLiteral("--screenshot-after"), QStringLiteral("0.1")});
        QVERIFY(QFile::link(QStringLiteral("/dev/full"), window.path("full.png")));
        window.setPicture(window.path("full.png"));
        QCOMPARE(window.run(), 4);
        QVERIFY2(window.err().contains("No space left on device"), window.err().constData());
    }

    void savesPicturesOfRunsAndRecordings()
    {
        Window run({QStringLiteral("--screenshot-after"), QStringLiteral("0.5"), QStringLiteral("--"),
                    runner::binary("ct_storm"), QStringLiteral("--seconds"), QStringLiteral("600"),
                    QStringLiteral("--rate"), QStringLiteral("1000")});
        QCOMPARE(run.run(), 0);
        QCOMPARE(QImage(run.picture()).size(), QSize(1600, 1000));

        runner::Batch batch({QStringLiteral("-o"), QStringLiteral("O.CTR")},
                            runner::target("ct_storm", runner::words("--coroutines 5 --transitions 2000")));
        batch.process().setWorkingDirectory(QFileInfo(batch.path("x")).path());
        QCOMPARE(batch.run(), 0);
        Window recording({QStringLiteral("--screenshot-after"), QStringLiteral("0.001"), batch.path("O.CTR")});
        QCOMPARE(recording.run(), 0);
        QCOMPARE(recording.err(), QByteArray());
        QCOMPARE(QImage(recording.picture()).size(), QSize(1600, 1000));

        // A truncated recording yields a picture, and a message about the missing part.
        const QByteArray whole = runner::readAll(batch.path("O.CTR"));
        Window part({QStringLiteral("--screenshot-after"), QStringLiteral("0.001"), batch.path("part.ctr")});
        QVERIFY(writeFile(batch.path("part.ctr"), whole.left(whole.size() - 100)));
        QCOMPARE(part.run(), 0);
        QVERIFY2(part.err().contains("part.ctr"), part.err().constData());
        QVERIFY(QFile::exists(part.picture()));
    }
};

CT_QT_SUITE(ScreenshotTest)
#include "tst_screenshot.moc"
