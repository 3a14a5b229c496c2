// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// A program without traced coroutines: one sentence with the likely cause, and one pointer.
#include "core/target/programrights.h"
#include "core/target/tracinginstructions.h"
#include "core/target/untraced.h"
#include "tests/support/qtsuite.h"
#include "tests/support/runner.h"

#include <set>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

using namespace ct;

namespace {

std::string dropperOf(const QStringList &words)
{
    LaunchSpec command;
    for (const QString &word : words)
        command.argv.push_back(word.toStdString());
    return environmentDropper(command);
}

std::string dropperOfLine(const char *line)
{
    LaunchSpec command;
    command.shellLine = line;
    return environmentDropper(command);
}

QString why(void (*change)(UntracedFacts &))
{
    UntracedFacts facts;
    change(facts);
    return Untraced::why(facts);
}

}  // namespace

class UntracedTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void eachCauseHasItsSentence()
    {
        const QString never = why([](UntracedFacts &) {});
        QVERIFY2(never.contains(QLatin1String("never connected; likely it is built without the probe")),
                 qPrintable(never));
        for (const char *start : {"InitTracer()", "corotracer_init()", "Rust: the first traced future"})
            QVERIFY2(never.contains(QLatin1String(start)), qPrintable(never));
        const QString sudo = why([](UntracedFacts &facts) { facts.dropsEnvironment = "sudo"; });
        QVERIFY2(sudo.contains(QLatin1String("likely sudo dropped CTP_SHM_PATH")), qPrintable(sudo));
        const QString setuid = why([](UntracedFacts &facts) { facts.gainsRights = "ping"; });
        QVERIFY2(setuid.contains(QLatin1String("likely ping ignores the CTP_ variables")), qPrintable(setuid));
        QVERIFY2(setuid.contains(QLatin1String("(setuid, setgid or file capabilities); trace a copy")),
                 qPrintable(setuid));
        const QString bare = why([](UntracedFacts &facts) { facts.lacksVariables = true; });
        QVERIFY2(bare.contains(QLatin1String("runs without CTP_SHM_PATH")), qPrintable(bare));
        const QString brief = why([](UntracedFacts &facts) { facts.connected = true; });
        QVERIFY2(brief.contains(QLatin1String("connected and ended at once")), qPrintable(brief));
        const QString unmapped = why([](UntracedFacts &facts) { facts.connected = facts.livesUnmapped = true; });
        QVERIFY2(unmapped.contains(QLatin1String("connected, but could not map the region")), qPrintable(unmapped));
        const QString old = why([](UntracedFacts &facts) { facts.connected = facts.mapped = true; });
        const QString ours = why([](UntracedFacts &facts) { facts.connected = facts.hasEntry = true; });
        QVERIFY(ours.contains(QLatin1String("has the probe")) && old.contains(QLatin1String("mapped the region")));
        const std::set<QString> all{never, sudo, setuid, bare, brief, unmapped, old, ours};
        QCOMPARE(all.size(), std::size_t{8});
        for (const QString &sentence : all) {
            QCOMPARE(sentence.count(u'.'), 1);
            QVERIFY(sentence.startsWith(QLatin1String("No coroutine was seen: ")));
        }
        // A process with the probe outweighs the shell that started it.
        QCOMPARE(why([](UntracedFacts &facts) {
                     facts.hasEntry = facts.connected = facts.lacksVariables = true;
                     facts.dropsEnvironment = "sudo";
                 }),
                 ours);
    }

    void recognisesCommandsThatDropVariables()
    {
        QCOMPARE(dropperOf({QStringLiteral("/usr/bin/sudo"), QStringLiteral("./a")}), std::string("sudo"));
        QCOMPARE(dropperOf({QStringLiteral("env"), QStringLiteral("-i"), QStringLiteral("./a")}),
                 std::string("env -i"));
        QCOMPARE(dropperOf({QStringLiteral("env"), QStringLiteral("A=1"), QStringLiteral("./a")}), std::string());
        QCOMPARE(dropperOf({QStringLiteral("./a"), QStringLiteral("su")}), std::string());
        QCOMPARE(dropperOf({}), std::string());
        QCOMPARE(dropperOfLine("cd /x && env -i ./a"), std::string("env -i"));
        QCOMPARE(dropperOfLine("make && docker run a"), std::string("docker"));
        QCOMPARE(dropperOfLine("./a --sudo"), std::string());
    }

    void recognisesPrivilegedPrograms()
    {
        const QTemporaryDir folder;
        const std::string plain = folder.filePath(QStringLiteral("plain")).toStdString();
        const std::string setuid = folder.filePath(QStringLiteral("setuid")).toStdString();
        const std::string setgid = folder.filePath(QStringLiteral("setgid")).toStdString();
        for (const std::string &file : {plain, setuid, setgid})
            QVERIFY(QFile::copy(QStringLiteral("/bin/true"), QString::fromStdString(file)));
        QVERIFY(!gainsRights(plain) && !gainsRights(folder.path().toStdString()) && !gainsRights("/nowhere"));
        // Setuid to our own user gives no additional rights.
        QCOMPARE(::chmod(plain.c_str(), 04755), 0);
        QVERIFY(!gainsRights(plain));

        constexpr uid_t kOther = 65534;
        if (::geteuid() != 0)
            CT_QSKIP("only root can give a file to another user");
        QCOMPARE(::chown(setuid.c_str(), kOther, 0) + ::chmod(setuid.c_str(), 04755), 0);
        QCOMPARE(::chown(setgid.c_str(), 0, kOther) + ::chmod(setgid.c_str(), 02755), 0);
        struct statvfs system {};
        QCOMPARE(::statvfs(setuid.c_str(), &system), 0);
        if ((system.f_flag & ST_NOSUID) != 0 || ::prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) == 1)
            CT_QSKIP("the system gives programs no more rights here");
        QVERIFY(gainsRights(setuid) && gainsRights(setgid));

        LaunchSpec command;
        command.argv = {setuid};
        QCOMPARE(privilegedProgram(command), std::string("setuid"));
        command.argv = {"setgid"};
        QCOMPARE(privilegedProgram(command), std::string());
        command.environment["PATH"] = "/nowhere:" + folder.path().toStdString();
        QCOMPARE(privilegedProgram(command), std::string("setgid"));
        command.argv = {"./setuid"};
        QCOMPARE(privilegedProgram(command), std::string());
        command.workingDirectory = folder.path().toStdString();
        QCOMPARE(privilegedProgram(command), std::string("setuid"));
        command.argv = {plain, setuid};
        QCOMPARE(privilegedProgram(command), std::string());
        // Without PATH the usual directories are searched, as for the launch itself.
        LaunchSpec withoutPath;
        withoutPath.argv = {"expiry"};
        withoutPath.environment["PATH"] = std::nullopt;
        QCOMPARE(privilegedProgram(withoutPath), std::string(gainsRights("/usr/bin/expiry") ? "expiry" : ""));
        command.argv.clear();
        command.shellLine = "cat setuid";
        QCOMPARE(privilegedProgram(command), std::string());
        command.shellLine = "./app --mode=fast setgid";
        QCOMPARE(privilegedProgram(command), std::string());
        command.shellLine = "A=1 B=2 ./app --mode=fast; C=3 setgid";
        QCOMPARE(privilegedProgram(command), std::string("setgid"));
        command.shellLine = "cd /x && A=1 setgid";
        QCOMPARE(privilegedProgram(command), std::string("setgid"));
        command.shellLine = "env A=1 setgid";
        QCOMPARE(privilegedProgram(command), std::string("setgid"));
        UntracedWatch watch;
        watch.launched(command, 0);
        QCOMPARE(watch.facts({}, false).gainsRights, std::string("setgid"));
    }

    void readsFactsOfLivingProcesses()
    {
        QTemporaryFile region;
        QVERIFY(region.open());
        const FileIdentity identity = FileIdentity::of(region.fileName().toStdString());
        QProcess peer;
        peer.start(QStringLiteral("sleep"), {QStringLiteral("600")});
        QVERIFY(peer.waitForStarted());
        UntracedWatch connected;
        connected.connected(static_cast<int>(peer.processId()));
        QVERIFY(connected.facts(identity, false).connected);
        QVERIFY(connected.facts(identity, false).livesUnmapped);
        peer.kill();
        QVERIFY(peer.waitForFinished(runner::kPatienceMs));
        QVERIFY(!connected.facts(identity, false).livesUnmapped);
        UntracedWatch stranger;
        stranger.connected(static_cast<int>(::getpid()));  // like an engine that checks for a listener
        QVERIFY(!stranger.facts(identity, false).connected);
    }

    void readsTheEnvironmentOfTheGroup()
    {
        TargetProcess process;
        LaunchSpec command;
        command.argv = {"sleep", "600"};
        command.environment["CTP_SHM_PATH"] = "/x";
        QVERIFY(process.start(command));
        UntracedWatch with;
        with.launched(command, process.pid());
        QVERIFY(!with.facts({}, false).lacksVariables);
        process.sendSignal(SIGKILL);
        QTRY_VERIFY_WITH_TIMEOUT(!process.isRunning(), runner::kPatienceMs);

        TargetProcess bare;
        command.environment["CTP_SHM_PATH"] = std::nullopt;
        QVERIFY(bare.start(command));
        UntracedWatch without;
        without.launched(command, bare.pid());
        QVERIFY(without.facts({}, false).lacksVariables);
        bare.sendSignal(SIGKILL);
        QTRY_VERIFY_WITH_TIMEOUT(!bare.isRunning(), runner::kPatienceMs);
    }

    /// One line, in addition to the sums of the run.
    void batchReportsOneLine_data()
    {
        QTest::addColumn<QString>("line");
        QTest::addColumn<QString>("cause");
        QTest::newRow("brief") << QStringLiteral("sleep 0.04") << QStringLiteral("never connected; likely it is built");
        QTest::newRow("bare") << QStringLiteral("env -i sleep 0.04") << QStringLiteral("likely env -i dropped");
    }
    void batchReportsOneLine()
    {
        QFETCH(QString, line);
        QFETCH(QString, cause);
        runner::Batch batch({}, {QStringLiteral("--cmd"), line});
        QCOMPARE(batch.run(), 0);
        const QByteArray said = batch.err();
        QCOMPARE(said.count('\n'), 2);
        QVERIFY2(said.contains(cause.toUtf8()), said.constData());
        QCOMPARE(said.count("See "), 1);
        QVERIFY(said.contains(Instructions::nothingTracedPointer().toUtf8()));
    }

    /// The man page has the window's checklist, to which the message points.
    void theManPageHasTheChecklist()
    {
        QString page = QString::fromUtf8(runner::readAll(runner::sourceFile("packaging/corotracer-gui.1")));
        page.replace(QLatin1String("\\-"), QLatin1String("-")).replace(u'\n', u' ');
        QVERIFY(page.contains(QLatin1String(".SH WHEN NOTHING IS TRACED")));
        for (const QString &point : Instructions::nothingTracedChecklist())
            QVERIFY2(page.contains(point), qPrintable(point));
    }
};

CT_QT_SUITE(UntracedTest)
#include "tst_untraced.moc"
