// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Messages of failures: each names the failed object, its path, and the remedy.
#include "app/batch/deferredfile.h"
#include "app/commandline/debugfolders.h"
#include "core/playback/fileloader.h"
#include "core/recording/library/recordingcopy.h"
#include "core/recording/read/regularfile.h"
#include "core/recording/write/fileclaim.h"
#include "core/region/region.h"
#include "core/target/targetprocess.h"
#include "tests/support/qtsuite.h"
#include "tests/support/runner.h"

#include <fcntl.h>
#include <functional>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace ct;

namespace {

using Failure = std::function<QString()>;

template <class T>
QString messageOf(const Result<T> &result)
{
    return result ? QString() : QString::fromStdString(result.error().message);
}

QString startMessage(const LaunchSpec &command)
{
    TargetProcess process;
    return messageOf(process.start(command));
}

QString loadMessage(const std::string &path)
{
    FileLoader loader(path, {});
    loader.start();
    loader.wait();
    return loader.errorMessage();
}

}  // namespace

Q_DECLARE_METATYPE(Failure)

class MessagesTest : public QObject {
    Q_OBJECT

    QTemporaryDir m_directory;

    std::string path(const char *name) const { return m_directory.filePath(QLatin1String(name)).toStdString(); }
    std::string fileWith(const char *name, const char *content, QFile::Permissions more = {}) const
    {
        QFile file(m_directory.filePath(QLatin1String(name)));
        if (file.open(QIODevice::WriteOnly))
            file.write(content);
        file.setPermissions(QFile::ReadOwner | QFile::WriteOwner | more);
        return path(name);
    }

private Q_SLOTS:
    void errorsNameCauseLocationAndRemedy_data()
    {
        QTest::addColumn<Failure>("failure");
        QTest::addColumn<QStringList>("parts");
        const auto row = [](const char *name, Failure failure, std::initializer_list<std::string> parts) {
            QStringList texts;
            for (const std::string &part : parts)
                texts << QString::fromStdString(part);
            QTest::newRow(name) << std::move(failure) << texts;
        };
        const auto writing = [](const std::string &file) {
            Result<DeferredFile> opened = DeferredFile::open(file);
            return opened ? messageOf(opened->write("{}")) : messageOf(opened);
        };
        row("a full disk", [=] { return writing("/dev/full"); },
            {"cannot write /dev/full: No space left on device", "free some space or choose another folder"});
        row("a summary in no folder", [=, this] { return writing(path("none/s.json")); },
            {"cannot write " + path("none/s.json"), "create its folder first"});
        row("a summary that is a folder", [=, this] { return writing(path(".")); },
            {"cannot write " + path("."), "choose another path"});
        row("no recording", [this] { return messageOf(openRegularFile(path("none.ctr"))); },
            {path("none.ctr") + " cannot be opened", "check its name"});
        row("no recording to copy", [this] { return messageOf(copyRecording(path("none.ctr"), path("copy.ctr"), {})); },
            {path("none.ctr") + " cannot be opened", "check its name"});
        row("no region", [this] { return messageOf(Region::open(path("none.shm"), RegionUse::Harvest)); },
            {"cannot open " + path("none.shm"), "check its name"});
        row("a region in no folder",
            [this] {
                RegionSpec spec;
                spec.path = path("none/r.shm");
                return messageOf(Region::create(spec));
            },
            {"cannot create " + path("none/r.shm"), "create its folder first"});
        row("an empty recording", [this] { return loadMessage(fileWith("empty.jsonl", "")); },
            {path("empty.jsonl") + " is empty: no event was recorded", "choose another file"});
        row("a recording that has no event yet",
            [this] {
                const std::string file = fileWith("growing.jsonl", "");
                const int fd = ::open(file.c_str(), O_WRONLY | O_CLOEXEC);
                const bool isClaimed = fd >= 0 && ctr::claimForWriting(fd);
                QString message = isClaimed ? loadMessage(file) : QStringLiteral("cannot claim the file");
                ::close(fd);
                return message;
            },
            {path("growing.jsonl") + " has no event yet: it is still being written; open it again later"});
        row("no debug folder",
            [this] {
                return messageOf(checkDebugFolders({path("."), path("none")}));
            },
            {"--debug-path " + path("none"), "No such file or directory", "check its name"});
        row("a file as debug folder", [this] { return messageOf(checkDebugFolders({fileWith("file", "")})); },
            {"--debug-path " + path("file") + " is not a folder", "name the folder that contains the debug files"});
        programRows(row);
    }
    void errorsNameCauseLocationAndRemedy()
    {
        QFETCH(Failure, failure);
        QFETCH(QStringList, parts);
        const QString message = failure();
        qsizetype from = 0;
        for (const QString &part : parts) {
            from = message.indexOf(part, from);
            QVERIFY2(from >= 0, qPrintable(message));
            from += part.size();
        }
        for (const char *unclear : {" told", "beside", "nobody", "whoever", "goes on", "all the same"})
            QVERIFY2(!message.contains(QLatin1String(unclear), Qt::CaseInsensitive), qPrintable(message));
    }

    void acceptsReadableDebugFolders()
    {
        QVERIFY(checkDebugFolders({}));
        QVERIFY(checkDebugFolders({path("."), "/usr"}));
    }

    /// Wrong usage: refused before the capture begins.
    void refusesAMissingDebugFolder()
    {
        runner::Batch batch({QStringLiteral("--debug-path"), QStringLiteral("/no/such/folder")},
                            {QStringLiteral("--"), QStringLiteral("true")});
        QCOMPARE(batch.run(), 2);
        const QByteArray said = batch.err();
        QVERIFY2(said.contains("--debug-path /no/such/folder: No such file or directory; check its name"),
                 said.constData());
    }

    /// Root may enter every folder, so the check runs as another user.
    void aClosedDebugFolderIsRefused()
    {
        constexpr uid_t kOther = 65534;
        const std::string closed = path("closed");
        QVERIFY(::mkdir(closed.c_str(), 0600) == 0);
        if (::geteuid() == 0)
            QVERIFY(::chmod(m_directory.path().toLocal8Bit().constData(), 0755) == 0);
        const pid_t child = ::fork();
        QVERIFY(child >= 0);
        if (child == 0) {
            if (::geteuid() == 0 && ::setresuid(kOther, kOther, kOther) != 0)
                ::_exit(2);
            const Result<void> checked = checkDebugFolders({closed});
            ::_exit(!checked && checked.error().code == ErrorCode::PermissionDenied ? 0 : 1);
        }
        int status = 0;
        QVERIFY(::waitpid(child, &status, 0) == child && WIFEXITED(status));
        QCOMPARE(WEXITSTATUS(status), 0);
    }

private:
    void programRows(const auto &row)
    {
        const auto starting = [this](const std::string &program) {
            LaunchSpec command;
            command.argv = {program};
            command.environment["PATH"] = m_directory.path().toStdString();
            return startMessage(command);
        };
        row("no program", [=] { return starting("ct-nothing"); },
            {"cannot start 'ct-nothing': not found in PATH", "give its path, as in ./ct-nothing"});
        row("no program at a path", [=, this] { return starting(path("nothing")); },
            {"cannot start '" + path("nothing") + "': No such file or directory", "check its path"});
        row("a program without its interpreter",
            [=, this] { return starting(fileWith("script", "#!/nowhere/sh\n", QFile::ExeOwner)); },
            {"cannot start '" + path("script") + "'", "the interpreter it names is installed"});
        row("a folder as program", [=, this] { return starting(path(".")); },
            {"cannot start '" + path(".") + "'", "it is a folder; name a program in it"});
        row("a folder in the working directory as program",
            [this] {
                static_cast<void>(QDir(m_directory.path()).mkdir(QStringLiteral("subfolder")));
                LaunchSpec command;
                command.argv = {"./subfolder"};
                command.workingDirectory = m_directory.path().toStdString();
                return startMessage(command);
            },
            {"cannot start './subfolder'", "it is a folder; name a program in it"});
        row("no working directory",
            [this] {
                LaunchSpec command;
                command.argv = {"true"};
                command.workingDirectory = path("none");
                return startMessage(command);
            },
            {"cannot enter the working directory '" + path("none") + "': No such file or directory",
             "choose another one"});
        row("a file that is not executable", [=, this] { return starting(fileWith("plain", "")); },
            {"cannot start '" + path("plain") + "': Permission denied", "make it executable (chmod +x)"});
        row("a file of PATH that is not executable",
            [=, this] {
                static_cast<void>(fileWith("listed", ""));
                return starting("listed");
            },
            {"cannot start 'listed': Permission denied", "you may not execute it there"});
    }
};

CT_QT_SUITE(MessagesTest)
#include "tst_messages.moc"
