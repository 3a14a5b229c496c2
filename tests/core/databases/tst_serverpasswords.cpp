// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Passwords that the user entered in the process.
#include "core/databases/serverpasswords.h"
#include "tests/support/qtsuite.h"

#include <QTest>

#include <thread>
#include <vector>

using namespace ct;

namespace {

ServerAddress server(const char *text)
{
    const Result<ServerAddress> address = parseServerAddress(text);
    return address ? *address : ServerAddress{};
}

class TestServerPasswords : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void applyToAllDatabasesOfAServer();
    void belongToOneServerAndUser();
    void canBeRemoved();
    void defaultToTheUserOfTheProcess();
    void neverAppearInNames();
    void haveTheirFieldInDialogs();
    void comeFromAnyThread();
};

void TestServerPasswords::applyToAllDatabasesOfAServer()
{
    keepServerPassword(server("postgresql://anna@alpha/one"), "geheim");
    QCOMPARE(keptServerPassword(server("postgresql://anna@alpha:5432/two?table=x")),
             std::optional<std::string>("geheim"));
}

void TestServerPasswords::belongToOneServerAndUser()
{
    keepServerPassword(server("postgresql://anna@beta/one"), "geheim");
    for (const char *other :
         {"postgresql://bert@beta/one", "postgresql://anna@gamma/one", "postgresql://anna@beta:1/one",
          "mysql://anna@beta:5432/one", "postgresql://anna@beta/one?socket=/run/beta"})
        QVERIFY2(!keptServerPassword(server(other)), other);
}

void TestServerPasswords::canBeRemoved()
{
    const ServerAddress address = server("mysql://anna@delta/one");
    keepServerPassword(address, "geheim");
    keepServerPassword(address, "");
    QVERIFY(!keptServerPassword(address));
}

void TestServerPasswords::defaultToTheUserOfTheProcess()
{
    ServerAddress address = server("postgresql://epsilon/one");
    keepServerPassword(address, "geheim");
    address.user = userOf(address);
    QVERIFY(!address.user.empty());
    QVERIFY(keptServerPassword(address));
    QVERIFY(passwordRemedy(address).find("the user " + address.user) != std::string::npos);
}

void TestServerPasswords::neverAppearInNames()
{
    const ServerAddress address = server("postgresql://anna@zeta/one");
    keepServerPassword(address, "geheim");
    QVERIFY(address.name().find("geheim") == std::string::npos);
    QVERIFY(passwordRemedy(address).find("geheim") == std::string::npos);
}

void TestServerPasswords::haveTheirFieldInDialogs()
{
    const ServerAddress address = server("postgresql://anna@theta/one");
    setPasswordInput(PasswordInput::Window);
    Error refused{ErrorCode::PermissionDenied, "refused"};
    addRemedy(refused, passwordRemedy(address));
    setPasswordInput(PasswordInput::Terminal);
    QVERIFY(refused.message.find("the dialogs Export and Open from database") != std::string::npos);
    QCOMPARE(messageInDialog(refused), std::string("refused; enter the password of the user anna"));
    QCOMPARE(messageInDialog({ErrorCode::NotFound, "no such host"}), std::string("no such host"));
}

void TestServerPasswords::comeFromAnyThread()
{
    const ServerAddress address = server("postgresql://anna@eta/one");
    std::vector<std::thread> threads;
    for (int i = 0; i < 4; ++i)
        threads.emplace_back([&address] { keepServerPassword(address, "geheim"); });
    for (std::thread &thread : threads)
        thread.join();
    QCOMPARE(keptServerPassword(address), std::optional<std::string>("geheim"));
}

}  // namespace

CT_QT_SUITE(TestServerPasswords)
#include "tst_serverpasswords.moc"
