// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/target/tracinginstructions.h"

#include <QFileInfo>
#include <QRegularExpression>
#include <QStringList>

#include <utility>

namespace ct {

namespace {

using Variable = std::pair<QString, QString>;

QList<Variable> variables(const TracedEnvironment &environment)
{
    return {{QStringLiteral("CTP_SHM_PATH"), environment.regionPath},
            {QStringLiteral("CTP_SOCK_PATH"), environment.socketPath},
            {QStringLiteral("CTP_MAX_STATIONS"), QString::number(environment.stations)}};
}

/// Quotes `text` for a unit file, where % begins a specifier.
QString systemdQuoted(QString text)
{
    text.replace(QLatin1Char('\\'), QLatin1String("\\\\"));
    text.replace(QLatin1Char('"'), QLatin1String("\\\""));
    text.replace(QLatin1Char('%'), QLatin1String("%%"));
    return QLatin1Char('"') + text + QLatin1Char('"');
}

}  // namespace

QString shellQuoted(const QString &text)
{
    static const QRegularExpression plain(QStringLiteral("\\A[A-Za-z0-9_@%+=:,./-]+\\z"));
    if (plain.match(text).hasMatch())
        return text;
    QString quoted = text;
    quoted.replace(QLatin1Char('\''), QLatin1String("'\\''"));
    return QLatin1Char('\'') + quoted + QLatin1Char('\'');
}

QString Instructions::shellLine(const TracedEnvironment &environment)
{
    QStringList words;
    for (const auto &[name, value] : variables(environment))
        words += name + QLatin1Char('=') + shellQuoted(value);
    words += QStringLiteral("./your-program");
    return words.join(QLatin1Char(' '));
}

QString Instructions::systemdUnit(const TracedEnvironment &environment)
{
    QStringList lines{QStringLiteral("[Service]")};
    for (const auto &[name, value] : variables(environment))
        lines += QStringLiteral("Environment=") + systemdQuoted(name + QLatin1Char('=') + value);
    return lines.join(QLatin1Char('\n')) + QLatin1Char('\n');
}

QString Instructions::containerLine(const TracedEnvironment &environment)
{
    // Mount the directories, not the files: a socket that is created again must stay visible in the container.
    QStringList directories{QFileInfo(environment.regionPath).path()};
    const QString socketDirectory = QFileInfo(environment.socketPath).path();
    if (!directories.contains(socketDirectory))
        directories += socketDirectory;

    QStringList words{QStringLiteral("docker run --user \"$(id -u):$(id -g)\"")};
    for (const QString &directory : std::as_const(directories))
        words += QStringLiteral("-v ") + shellQuoted(directory + QLatin1Char(':') + directory);
    for (const auto &[name, value] : variables(environment))
        words += QStringLiteral("-e ") + shellQuoted(name + QLatin1Char('=') + value);
    words += QStringLiteral("your-image");
    return words.join(QLatin1Char(' '));
}

QString Instructions::nothingTracedPointer()
{
    return tr("See WHEN NOTHING IS TRACED in corotracer-gui(1).");
}

QStringList Instructions::nothingTracedChecklist()
{
    return {
        tr("Does the program call corotracer::InitTracer() (C++) or corotracer_init() (C) before its first coroutine? "
           "In Rust, the first traced future starts the probe."),
        tr("Are its coroutines traced? In C++, promise types derive from corotracer::PromiseMixin, or an adapter "
           "traces them. In Rust, futures need .traced()."),
        tr("Did the environment reach it? sudo, env -i, su and some service managers drop CTP_SHM_PATH, CTP_SOCK_PATH "
           "and CTP_MAX_STATIONS (sudo: --preserve-env=CTP_SHM_PATH,CTP_SOCK_PATH,CTP_MAX_STATIONS)."),
        tr("Has it more rights than its caller (setuid, setgid or file capabilities)? It ignores the CTP_ variables "
           "then; trace a copy of it that has none of these."),
        tr("Does it run as the same user? The region is readable by its owner only."),
        tr("Inside a container: are the directories of the region and of the socket mounted under the same path?"),
        tr("Has it started a coroutine yet? A program that waits for work shows nothing until then."),
    };
}

QString Instructions::fiveLines()
{
    return QStringLiteral(
        "find_package(corotracer-probe REQUIRED)                                # CMakeLists.txt\n"
        "target_link_libraries(your-program PRIVATE corotracer::probe)          # CMakeLists.txt\n"
        "#include \"coroTracer.h\"                                                // where promises are\n"
        "struct promise_type : corotracer::PromiseMixin { /* as before */ };    // each promise type\n"
        "int main() { corotracer::InitTracer(); /* as before */ }               // first of all\n");
}

}  // namespace ct
