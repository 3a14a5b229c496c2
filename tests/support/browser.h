// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// A headless Chromium with one page, driven by its DevTools protocol through a pipe. It has a profile of its own.
#pragma once

#include "tests/support/qtsuite.h"

#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QProcess>
#include <QStandardPaths>
#include <QTemporaryDir>

#include <array>
#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

namespace ct::test {

class Browser {
public:
    /// Empty if there is no Chromium on this machine.
    static QString program() { return QStandardPaths::findExecutable(QStringLiteral("chromium")); }

    Browser()
    {
        if (pipe2(m_commands.data(), O_CLOEXEC) != 0 || pipe2(m_answers.data(), O_CLOEXEC) != 0)
            return;
        m_process.setProgram(program());
        m_process.setArguments({QStringLiteral("--headless"), QStringLiteral("--no-sandbox"),
                                QStringLiteral("--disable-gpu"), QStringLiteral("--disable-quic"),
                                QStringLiteral("--no-first-run"), QStringLiteral("--disable-background-networking"),
                                QStringLiteral("--disable-component-update"), QStringLiteral("--disable-sync"),
                                QStringLiteral("--disable-dev-shm-usage"), QStringLiteral("--window-size=1400,1000"),
                                QStringLiteral("--user-data-dir=") + m_profile.path(),
                                QStringLiteral("--remote-debugging-pipe")});
        // Chromium reads commands from descriptor 3, and writes answers to 4.
        m_process.setChildProcessModifier([this] {
            const int commands = fcntl(m_commands[0], F_DUPFD, 10);
            const int answers = fcntl(m_answers[1], F_DUPFD, 10);
            dup2(commands, 3);
            dup2(answers, 4);
        });
        m_process.setProcessChannelMode(QProcess::MergedChannels);
        m_process.start();
        m_process.waitForStarted(kPatienceMs);
        close(std::exchange(m_commands[0], -1));
        close(std::exchange(m_answers[1], -1));
        const QString target =
            call(QStringLiteral("Target.createTarget"), {{QStringLiteral("url"), QStringLiteral("about:blank")}})
                .value(QLatin1String("targetId"))
                .toString();
        m_session = call(QStringLiteral("Target.attachToTarget"),
                         {{QStringLiteral("targetId"), target}, {QStringLiteral("flatten"), true}})
                        .value(QLatin1String("sessionId"))
                        .toString();
        for (const char *domain : {"Page.enable", "Runtime.enable", "Log.enable", "Network.enable"})
            call(QLatin1String(domain), {});
    }
    ~Browser()
    {
        m_session.clear();  // the command is not one for a page
        call(QStringLiteral("Browser.close"), {});
        for (const int fd : {m_commands[0], m_commands[1], m_answers[0], m_answers[1]})
            if (fd >= 0)
                close(fd);
        if (!m_process.waitForFinished(kPatienceMs))
            m_process.kill();
        m_process.waitForFinished();
    }

    bool isStarted() const { return !m_session.isEmpty(); }
    /// Opens a file, and waits until its scripts have run.
    void open(const QString &path)
    {
        m_problems.clear();
        m_requests.clear();
        m_isLoaded = false;
        call(QStringLiteral("Page.navigate"), {{QStringLiteral("url"), QStringLiteral("file://") + path}});
        while (!m_isLoaded && readMessage()) {
        }
    }
    /// Evaluates an expression; waits for its value if it is a promise. Undefined if it throws.
    QJsonValue evaluate(const QString &expression)
    {
        const QJsonObject answer = call(QStringLiteral("Runtime.evaluate"), {{QStringLiteral("expression"), expression},
                                                                             {QStringLiteral("returnByValue"), true},
                                                                             {QStringLiteral("awaitPromise"), true}});
        if (answer.contains(QLatin1String("exceptionDetails")))
            m_problems << QString::fromUtf8(
                QJsonDocument(answer.value(QLatin1String("exceptionDetails")).toObject()).toJson());
        return answer.value(QLatin1String("result")).toObject().value(QLatin1String("value"));
    }
    QString text(const char *expression) { return evaluate(QLatin1String(expression)).toString(); }
    int number(const char *expression) { return evaluate(QLatin1String(expression)).toInt(-1); }
    void setDark(bool dark)
    {
        const QJsonObject feature{{QStringLiteral("name"), QStringLiteral("prefers-color-scheme")},
                                  {QStringLiteral("value"), QLatin1String(dark ? "dark" : "light")}};
        call(QStringLiteral("Emulation.setEmulatedMedia"), {{QStringLiteral("features"), QJsonArray{feature}}});
    }
    /// Moves the mouse from one point of the visible page to another one; `isPressed`: with the left button pressed.
    void moveMouse(int fromX, int toX, int y, bool isPressed)
    {
        const auto send = [&](const char *type, int x, bool down) {
            call(QStringLiteral("Input.dispatchMouseEvent"),
                 {{QStringLiteral("type"), QLatin1String(type)},
                  {QStringLiteral("x"), x},
                  {QStringLiteral("y"), y},
                  {QStringLiteral("button"), QLatin1String(isPressed ? "left" : "none")},
                  {QStringLiteral("buttons"), down ? 1 : 0},
                  {QStringLiteral("clickCount"), isPressed ? 1 : 0}});
        };
        if (isPressed)
            send("mousePressed", fromX, true);
        send("mouseMoved", fromX, isPressed);
        send("mouseMoved", toX, isPressed);
        if (isPressed)
            send("mouseReleased", toX, false);
    }
    /// Saves a picture of the visible part of the page.
    bool savePicture(const QString &path)
    {
        const QByteArray png = QByteArray::fromBase64(
            call(QStringLiteral("Page.captureScreenshot"), {}).value(QLatin1String("data")).toString().toLatin1());
        QFile file(path);
        return file.open(QIODevice::WriteOnly) && file.write(png) == png.size() && !png.isEmpty();
    }
    /// Exceptions and messages of the console since open().
    QStringList problems() const { return m_problems; }
    void clearProblems() { m_problems.clear(); }
    QStringList requests() const { return m_requests; }  ///< URLs since open()

private:
    QJsonObject call(const QString &method, const QJsonObject &parameters)
    {
        QJsonObject message{
            {QStringLiteral("id"), ++m_id}, {QStringLiteral("method"), method}, {QStringLiteral("params"), parameters}};
        if (!m_session.isEmpty())
            message.insert(QStringLiteral("sessionId"), m_session);
        const QByteArray bytes = QJsonDocument(message).toJson(QJsonDocument::Compact) + '\0';
        for (qsizetype sent = 0; sent < bytes.size();) {
            const ssize_t written = write(m_commands[1], bytes.data() + sent, std::size_t(bytes.size() - sent));
            if (written <= 0)
                return {};
            sent += written;
        }
        m_answer = {};
        while (m_answer.isEmpty() && readMessage()) {
        }
        return m_answer.value(QLatin1String("result")).toObject();
    }

    /// Reads and handles the next message. Returns false if none comes.
    bool readMessage()
    {
        while (!m_buffer.contains('\0')) {
            pollfd wait{m_answers[0], POLLIN, 0};
            if (poll(&wait, 1, kPatienceMs) <= 0)
                return false;
            std::array<char, 65'536> bytes;
            const ssize_t count = read(m_answers[0], bytes.data(), bytes.size());
            if (count <= 0)
                return false;
            m_buffer.append(bytes.data(), count);
        }
        const qsizetype end = m_buffer.indexOf('\0');
        handle(QJsonDocument::fromJson(m_buffer.left(end)).object());
        m_buffer.remove(0, end + 1);
        return true;
    }

    void handle(const QJsonObject &message)
    {
        const QString method = message.value(QLatin1String("method")).toString();
        const QJsonObject parameters = message.value(QLatin1String("params")).toObject();
        if (message.value(QLatin1String("id")).toInt() == m_id)
            m_answer = message;
        else if (method == QLatin1String("Page.loadEventFired"))
            m_isLoaded = true;
        else if (method == QLatin1String("Network.requestWillBeSent"))
            m_requests << parameters.value(QLatin1String("request")).toObject().value(QLatin1String("url")).toString();
        else if (method == QLatin1String("Runtime.exceptionThrown") || method == QLatin1String("Log.entryAdded") ||
                 method == QLatin1String("Runtime.consoleAPICalled"))
            m_problems << QString::fromUtf8(QJsonDocument(parameters).toJson());
    }

    const QTemporaryDir m_profile;
    std::array<int, 2> m_commands{-1, -1};
    std::array<int, 2> m_answers{-1, -1};
    QProcess m_process;
    QString m_session;
    QByteArray m_buffer;
    QJsonObject m_answer;
    int m_id = 0;
    bool m_isLoaded = false;
    QStringList m_problems;
    QStringList m_requests;
};

}  // namespace ct::test
