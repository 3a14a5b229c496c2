// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Where runs of windows are recorded, whatever the environment says, and how they are called.
#include "core/recording/recordedruns.h"
#include "core/session/recordingstore.h"
#include "tests/support/qtsuite.h"

#include <QFile>
#include <QTemporaryDir>

#include <algorithm>
#include <pwd.h>
#include <sys/stat.h>
#include <unistd.h>

using namespace ct;

class RecordingStoreTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase()
    {
        QCoreApplication::setOrganizationName(QStringLiteral("org"));
        QCoreApplication::setApplicationName(QStringLiteral("app"));
        qunsetenv("XDG_RUNTIME_DIR");
    }

    void liesInTheCache()
    {
        qputenv("HOME", "/home/somebody");
        qputenv("XDG_CACHE_HOME", "/somewhere/else");
        QCOMPARE(recordingsDirectory(), QStringLiteral("/somewhere/else/org/app/recordings"));
        qunsetenv("XDG_CACHE_HOME");
        QCOMPARE(recordingsDirectory(), QStringLiteral("/home/somebody/.cache/org/app/recordings"));
    }

    void withoutAHomeTheSystemKnowsOne()
    {
        qunsetenv("HOME");
        qunsetenv("XDG_CACHE_HOME");
        const passwd *user = ::getpwuid(::getuid());
        const QString home = user && user->pw_dir ? QFile::decodeName(user->pw_dir) : QString();
        if (home.size() > 1 && home.startsWith(u'/'))
            QCOMPARE(recordingsDirectory(), home + QStringLiteral("/.cache/org/app/recordings"));
        else
            QCOMPARE(recordingsDirectory(), QString());
    }

    void isMadeForItsOwnerAlone()
    {
        const QTemporaryDir dir;
        const QString made = dir.filePath(QStringLiteral("a/b/recordings"));
        QVERIFY(makeRecordingsDirectory(made));
        QVERIFY(makeRecordingsDirectory(made));
        struct stat info = {};
        QCOMPARE(::stat(qPrintable(made), &info), 0);
        QCOMPARE(info.st_mode & 0777, mode_t{0700});
        const Result<void> nowhere = makeRecordingsDirectory(QString());
        QVERIFY(!nowhere);
        QVERIFY(nowhere.error().message.find("XDG_CACHE_HOME") != std::string::npos);
        const Result<void> refused = makeRecordingsDirectory(QStringLiteral("/dev/null/recordings"));
        QVERIFY(!refused);
        QVERIFY(refused.error().message.find("/dev/null") != std::string::npos);
        QVERIFY(refused.error().message.find("XDG_CACHE_HOME") != std::string::npos);
    }

    void namesTellTimeAndTarget()
    {
        for (const char *target : {"server", "a b/c", "", "x.0", "\xc3\xa4\xff\n"}) {
            const std::string name = recordingFileName(1'700'000'000, target);
            QVERIFY2(name.ends_with(".ctr") && name.find('/') == std::string::npos, name.c_str());
            QVERIFY(std::all_of(name.begin(), name.end(), [](char c) { return c > ' ' && c < 127; }));
            QCOMPARE(targetInFileName("/r/" + name).empty(), *target == '\0');
        }
        QCOMPARE(targetInFileName(recordingFileName(1'700'000'000, "server")), std::string("server"));
        QVERIFY(recordingFileName(0, std::string(500, 'x')).size() < 120);
    }
};

CT_QT_SUITE(RecordingStoreTest)
#include "tst_recordingstore.moc"
