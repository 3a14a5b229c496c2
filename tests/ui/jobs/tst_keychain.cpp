// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Passwords in the keychain of a desktop: GNOME Keyring, on a private session bus.
#include "core/databases/serverpasswords.h"
#include "tests/support/qtsuite.h"
#include "tests/ui/guisupport.h"
#include "ui/dialogs/serverfields.h"
#include "ui/jobs/keychain.h"

#include <QCheckBox>
#include <QDirIterator>
#include <QLineEdit>
#include <QProcess>
#include <QStandardPaths>

#include <csignal>

using namespace ct;

namespace {

const QByteArray kPassword = "a-secret-for-the-keychain";

/// A bus that does not start services.
const QString kBus =
    QStringLiteral("<busconfig><type>session</type><listen>unix:path=%1</listen><policy context=\"default\">"
                   "<allow send_destination=\"*\"/><allow receive_sender=\"*\"/><allow own=\"*\"/>"
                   "</policy></busconfig>");

/// GNOME Keyring and its bus, as long as this object lives.
class Desktop {
public:
    Desktop()
    {
        QFile configuration(path("bus.conf"));
        if (configuration.open(QIODevice::WriteOnly))
            configuration.write(kBus.arg(path("bus")).toUtf8());
        configuration.close();
        m_bus.setStandardErrorFile(QProcess::nullDevice());
        m_bus.start(QStringLiteral("dbus-daemon"), {QStringLiteral("--nofork"), QStringLiteral("--print-address=1"),
                                                    QStringLiteral("--config-file=") + path("bus.conf")});
        qputenv("DBUS_SESSION_BUS_ADDRESS", line(m_bus));
        qputenv("HOME", m_directory.path().toUtf8());
        qputenv("XDG_RUNTIME_DIR", m_directory.path().toUtf8());
        qputenv("XDG_DATA_HOME", path("data").toUtf8());
        m_keyring.setStandardErrorFile(QProcess::nullDevice());
        m_keyring.start(QStringLiteral("gnome-keyring-daemon"),
                        {QStringLiteral("--foreground"), QStringLiteral("--unlock"),
                         QStringLiteral("--components=secrets"),
                         QStringLiteral("--control-directory=") + path("control")});
        // The password of the keyring ends with standard input.
        m_keyring.write("password of the keyring");
        m_keyring.closeWriteChannel();
    }
    ~Desktop()
    {
        // GLib sends it to the process when its bus ends.
        std::signal(SIGTERM, SIG_IGN);
        for (QProcess *process : {&m_keyring, &m_bus}) {
            process->terminate();
            process->waitForFinished(test::kPatienceMs);
        }
    }
    Desktop(const Desktop &) = delete;
    Desktop &operator=(const Desktop &) = delete;

    QString path(const char *name) const { return m_directory.filePath(QLatin1String(name)); }
    /// Waits until a client of the bus gets answers from the keyring.
    bool isRunning()
    {
        return QTest::qWaitFor([this] { return send({QStringLiteral("org.freedesktop.DBus.Peer.Ping")}) == 0; },
                               test::kPatienceMs);
    }
    /// The number of passwords of this program, as another client of the keyring sees them.
    int entries()
    {
        const bool isAnswered = send({QStringLiteral("org.freedesktop.Secret.Service.SearchItems"),
                                      QStringLiteral("dict:string:string:server,corotracer-gui")}) == 0;
        return isAnswered ? static_cast<int>(m_answer.count("/org/freedesktop/secrets/collection/")) : -1;
    }

private:
    static QByteArray line(QProcess &process)
    {
        while (!process.canReadLine() && process.waitForReadyRead(test::kPatienceMs)) {
        }
        return process.readLine().trimmed();
    }
    int send(const QStringList &message)
    {
        QProcess client;
        client.start(QStringLiteral("dbus-send"),
                     QStringList{QStringLiteral("--session"), QStringLiteral("--print-reply"),
                                 QStringLiteral("--dest=org.freedesktop.secrets"),
                                 QStringLiteral("/org/freedesktop/secrets")} +
                         message);
        client.waitForFinished(test::kPatienceMs);
        m_answer = client.readAllStandardOutput();
        return client.exitStatus() == QProcess::NormalExit ? client.exitCode() : -1;
    }

    QTemporaryDir m_directory;
    QProcess m_bus;
    QProcess m_keyring;
    QByteArray m_answer;
};

ServerAddress server(const char *text)
{
    return *parseServerAddress(text);
}

/// Waits for the answer of a request.
struct Answer {
    bool hasCome = false;
    std::optional<QString> password;
    QString problem;

    bool wait()
    {
        return QTest::qWaitFor([this] { return hasCome; }, test::kPatienceMs);
    }
    Keychain::Done done()
    {
        return [this](const QString &text) {
            hasCome = true;
            problem = text;
        };
    }
    Keychain::Found found()
    {
        return [this](const std::optional<QString> &text, const QString &reason) {
            hasCome = true;
            password = text;
            problem = reason;
        };
    }
};

/// A password that is not there is a text of its own.
QString passwordOf(const char *address)
{
    Keychain keychain;
    Answer answer;
    keychain.read(server(address), answer.found());
    if (!answer.wait())
        return QStringLiteral("no answer");
    return answer.problem.isEmpty() ? answer.password.value_or(QStringLiteral("none")) : answer.problem;
}

class TestKeychain : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void initTestCase();
    void storesReadsAndErases();
    void servesTheFieldsOfADialog();

private:
    void isNotInAnyFile() const;
    static void isInNoCommandLine();

    gui::Sandbox m_sandbox;
    std::unique_ptr<Desktop> m_desktop;
};

void TestKeychain::initTestCase()
{
    for (const char *program : {"dbus-daemon", "dbus-send", "gnome-keyring-daemon"}) {
        if (QStandardPaths::findExecutable(QLatin1String(program)).isEmpty())
            CT_QSKIP(qPrintable(QStringLiteral("%1 is not installed; packaging/bootstrap.sh test-all installs it")
                                    .arg(QLatin1String(program))));
    }
    m_desktop = std::make_unique<Desktop>();
    QVERIFY(m_desktop->isRunning());
}

void TestKeychain::isNotInAnyFile() const
{
    QSettings().sync();
    int files = 0;
    for (const QString &folder : {m_desktop->path(""), m_sandbox.path(QString())}) {
        for (QDirIterator all(folder, QDir::Files, QDirIterator::Subdirectories); all.hasNext(); ++files) {
            QFile file(all.next());
            QVERIFY(file.open(QIODevice::ReadOnly));
            QVERIFY2(!file.readAll().contains(kPassword), qPrintable(file.fileName()));
        }
    }
    QVERIFY(files > 0);
}

void TestKeychain::isInNoCommandLine()
{
    for (const QString &pid : QDir(QStringLiteral("/proc")).entryList({QStringLiteral("[0-9]*")}, QDir::Dirs)) {
        QFile words(QStringLiteral("/proc/%1/cmdline").arg(pid));
        if (words.open(QIODevice::ReadOnly))
            QVERIFY2(!words.readAll().contains(kPassword), qPrintable(pid));
    }
}

void TestKeychain::storesReadsAndErases()
{
    const char *const address = "postgresql://anna@alpha/one";
    QCOMPARE(passwordOf(address), QStringLiteral("none"));
    QCOMPARE(m_desktop->entries(), 0);
    Keychain keychain;
    Answer written;
    keychain.write(server(address), QString::fromUtf8(kPassword), written.done());
    QVERIFY(written.wait());
    QCOMPARE(written.problem, QString());
    QCOMPARE(m_desktop->entries(), 1);
    QCOMPARE(passwordOf("postgresql://anna@alpha/another?sslmode=require"), QString::fromUtf8(kPassword));
    for (const char *other : {"postgresql://bert@alpha/one", "postgresql://anna@beta/one",
                              "postgresql://anna@alpha:1/one", "mysql://anna@alpha:5432/one"})
        QCOMPARE(passwordOf(other), QStringLiteral("none"));
    isNotInAnyFile();
    isInNoCommandLine();

    Answer removed;
    keychain.remove(server(address), removed.done());
    QVERIFY(removed.wait());
    QCOMPARE(removed.problem, QString());
    QCOMPARE(passwordOf(address), QStringLiteral("none"));
    QCOMPARE(m_desktop->entries(), 0);
}

void TestKeychain::servesTheFieldsOfADialog()
{
    const auto lineOf = [](ServerFields &fields, const char *name) {
        return fields.findChild<QLineEdit *>(QLatin1String(name));
    };
    ServerAddress address;
    {
        ServerFields fields;
        fields.setKind(ServerAddress::Kind::MySql);
        fields.show();
        lineOf(fields, "serverUser")->setText(QStringLiteral("anna"));
        lineOf(fields, "serverPassword")->setText(QString::fromUtf8(kPassword));
        QVERIFY(gui::click(&fields, "serverKeep"));
        fields.commit();
        address = fields.server();
        QTRY_COMPARE(m_desktop->entries(), 1);
        isNotInAnyFile();
        isInNoCommandLine();
        QVERIFY(fields.findChild<QCheckBox *>(QStringLiteral("serverKeep"))->isChecked());
    }
    keepServerPassword(address, {});  // as in the next process
    ServerFields fields;
    fields.setKind(ServerAddress::Kind::MySql);
    fields.show();
    QTRY_COMPARE(lineOf(fields, "serverPassword")->text(), QString::fromUtf8(kPassword));
    gui::takePicture(&fields, "password-of-the-keychain");
    // The password of one server is not used for another one.
    lineOf(fields, "serverHost")->setText(QStringLiteral("beta"));
    QCOMPARE(lineOf(fields, "serverPassword")->text(), QString());
    lineOf(fields, "serverHost")->clear();
    QVERIFY(gui::click(&fields, "serverKeep"));
    QTRY_COMPARE(m_desktop->entries(), 0);
}

}  // namespace

CT_QT_SUITE(TestKeychain)
#include "tst_keychain.moc"
