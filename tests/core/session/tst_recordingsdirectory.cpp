// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// The folder and the names of recordings that windows make, in any environment.
#include "core/playback/inputspool.h"
#include "core/recording/library/recordedruns.h"
#include "core/recording/read/segments.h"
#include "core/recording/write/recordingwriter.h"
#include "core/session/recordingsdirectory.h"
#include "tests/support/qtsuite.h"

#include <QFile>
#include <QFileInfo>
#include <QTemporaryDir>

#include <algorithm>
#include <array>
#include <cerrno>
#include <pwd.h>
#include <sys/stat.h>
#include <unistd.h>

using namespace ct;

namespace {

unsigned modeOf(const QString &path)
{
    struct stat info = {};
    return ::lstat(qPrintable(path), &info) == 0 ? info.st_mode & 07777 : 0;
}

/// Returns true if the directory is refused, with a message that names `wrong` and the remedy.
bool isRefused(const QString &directory, const QString &wrong)
{
    const Result<std::string> made = makeRecordingsDirectory(directory);
    return !made && made.error().message.find(wrong.toStdString() + ' ') != std::string::npos &&
           made.error().message.find("XDG_CACHE_HOME") != std::string::npos;
}

}  // namespace

class RecordingsDirectoryTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase()
    {
        QCoreApplication::setOrganizationName(QStringLiteral("org"));
        QCoreApplication::setApplicationName(QStringLiteral("app"));
        qunsetenv("XDG_RUNTIME_DIR");
    }

    void recordingsAreInTheCacheDirectory()
    {
        qputenv("HOME", "/home/somebody");
        qputenv("XDG_CACHE_HOME", "/somewhere/else");
        QCOMPARE(recordingsDirectory(), QStringLiteral("/somewhere/else/org/app/recordings"));
        qunsetenv("XDG_CACHE_HOME");
        QCOMPARE(recordingsDirectory(), QStringLiteral("/home/somebody/.cache/org/app/recordings"));
    }

    void usesTheSystemsHomeWithoutTheVariable()
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

    void directoryIsMadeForItsOwnerAlone()
    {
        const QTemporaryDir dir;
        const QString made = dir.filePath(QStringLiteral("a/b/recordings"));
        QVERIFY(makeRecordingsDirectory(made));
        QVERIFY(makeRecordingsDirectory(made));
        struct stat info = {};
        QCOMPARE(::stat(qPrintable(made), &info), 0);
        QCOMPARE(info.st_mode & 0777, mode_t{0700});
        const Result<std::string> nowhere = makeRecordingsDirectory(QString());
        QVERIFY(!nowhere);
        QVERIFY(nowhere.error().message.find("XDG_CACHE_HOME") != std::string::npos);
        const Result<std::string> refused = makeRecordingsDirectory(QStringLiteral("/dev/null/recordings"));
        QVERIFY(!refused);
        QVERIFY(refused.error().message.find("/dev/null") != std::string::npos);
        QVERIFY(refused.error().message.find("XDG_CACHE_HOME") != std::string::npos);
    }

    void removesPermissionsOfOtherUsers()
    {
        const QTemporaryDir dir;
        const QString made = dir.filePath(QStringLiteral("recordings"));
        for (const mode_t mode : {0755, 0777, 0740, 01777}) {
            QVERIFY(::mkdir(qPrintable(made), 0700) == 0 || errno == EEXIST);
            QCOMPARE(::chmod(qPrintable(made), mode), 0);
            const Result<std::string> notice = makeRecordingsDirectory(made);
            QVERIFY(notice);
            QVERIFY(notice->find(made.toStdString()) != std::string::npos);
            QCOMPARE(modeOf(made), 0700U);
        }
        QCOMPARE(*makeRecordingsDirectory(made), std::string());
    }

    void directoriesOnTheWayAreMadeForTheOwnerAlone()
    {
        const QTemporaryDir dir;
        const mode_t before = ::umask(0);
        const Result<std::string> made = makeRecordingsDirectory(dir.filePath(QStringLiteral("a/recordings")));
        ::umask(before);
        QVERIFY2(made, made ? "" : made.error().message.c_str());
        QCOMPARE(modeOf(dir.filePath(QStringLiteral("a"))), 0700U);
    }

    void refusesWorldWritableDirectories()
    {
        const QTemporaryDir dir;
        const QString way = dir.filePath(QStringLiteral("shared"));
        QCOMPARE(::mkdir(qPrintable(way), 0700), 0);
        QVERIFY(makeRecordingsDirectory(way + QStringLiteral("/recordings")));
        QCOMPARE(::chmod(qPrintable(way), 0777), 0);
        QVERIFY(isRefused(way + QStringLiteral("/recordings"), way));
        QCOMPARE(::chmod(qPrintable(way), 01777), 0);
        QVERIFY(makeRecordingsDirectory(way + QStringLiteral("/recordings")));
        // The rule also holds behind a link.
        const QString link = dir.filePath(QStringLiteral("link"));
        QVERIFY(QFile::link(way, link));
        QVERIFY(makeRecordingsDirectory(link + QStringLiteral("/recordings")));
        QCOMPARE(::chmod(qPrintable(way), 0777), 0);
        QVERIFY(isRefused(link + QStringLiteral("/recordings"), way));
    }

    void refusesDirectoriesOfOtherUsers()
    {
        if (::geteuid() != 0)
            CT_QSKIP("only root can make a directory of another user");
        const QTemporaryDir dir;
        const QString other = dir.filePath(QStringLiteral("other"));
        for (const mode_t mode : {0700, 0755, 0777}) {
            QVERIFY(::mkdir(qPrintable(other), 0700) == 0 || errno == EEXIST);
            QCOMPARE(::chown(qPrintable(other), 12345, 12345), 0);
            QCOMPARE(::chmod(qPrintable(other), mode), 0);
            QVERIFY(isRefused(other, other));
            QVERIFY(isRefused(other + QStringLiteral("/recordings"), other));
            QCOMPARE(modeOf(other), unsigned{mode});
        }
        const QString ours = dir.filePath(QStringLiteral("ours"));
        QVERIFY(makeRecordingsDirectory(ours));
        const QString link = dir.filePath(QStringLiteral("link"));
        QVERIFY(QFile::link(ours, link));
        QVERIFY(makeRecordingsDirectory(link));
        QCOMPARE(::lchown(qPrintable(link), 12345, 12345), 0);
        QVERIFY(isRefused(link, link));
    }

    void filesAreForTheirOwnerAlone()
    {
        const QTemporaryDir dir;
        const mode_t before = ::umask(0);
        const std::string path = dir.filePath(QStringLiteral("run.ctr")).toStdString();
        auto recording = RecordingWriter::open(path, {RecordingLimits::kLeastBytes, 0}, FileAccess::OwnerOnly);
        auto chosen = RecordingWriter::open(path + ".chosen.ctr");
        auto pipe = std::array<int, 2>{};
        QCOMPARE(::pipe(pipe.data()), 0);
        auto spool = InputSpool::start(pipe[0], path + ".spool");
        ::umask(before);
        QVERIFY(recording && chosen && spool);
        QCOMPARE(modeOf(QString::fromStdString(ctr::segmentPath(path, 0))), 0600U);
        QCOMPARE(modeOf(QString::fromStdString(path + ".spool")), 0600U);
        QCOMPARE(modeOf(QString::fromStdString(path + ".chosen.ctr")), 0666U);
        ::close(pipe[1]);
        // A link planted under the name is not followed.
        QVERIFY(QFile::link(dir.filePath(QStringLiteral("precious")), dir.filePath(QStringLiteral("planted.ctr"))));
        const auto planted =
            RecordingWriter::open(dir.filePath(QStringLiteral("planted.ctr")).toStdString(), {}, FileAccess::OwnerOnly);
        QVERIFY(!planted);
        QCOMPARE(planted.error().code, ErrorCode::AlreadyExists);
        QVERIFY(!QFileInfo::exists(dir.filePath(QStringLiteral("precious"))));
    }

    void fileNamesHaveTimeAndTarget()
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

CT_QT_SUITE(RecordingsDirectoryTest)
#include "tst_recordingsdirectory.moc"
