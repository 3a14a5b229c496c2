// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/dialogs/runfields.h"

#include <QCoreApplication>
#include <QFileInfo>
#include <QSettings>

#include <algorithm>

namespace ct {

namespace {

constexpr int kMostRecentRuns = 12;

QString tr(const char *text)
{
    return QCoreApplication::translate("RunFields", text);
}

Error invalid(const QString &message)
{
    return {ErrorCode::InvalidArgument, message.toStdString()};
}

void writeRun(QSettings &settings, const RunFields &form)
{
    settings.setValue(QStringLiteral("shell"), form.shell);
    settings.setValue(QStringLiteral("command"), form.command);
    settings.setValue(QStringLiteral("arguments"), form.arguments);
    settings.setValue(QStringLiteral("directory"), form.directory);
    settings.setValue(QStringLiteral("stations"), form.stations);
    QVariantList environment;
    for (const RunFields::Variable &variable : form.environment)
        environment.append(QVariant(QVariantList{variable.name, variable.value, variable.removed}));
    settings.setValue(QStringLiteral("environment"), environment);
}

RunFields readRun(const QSettings &settings)
{
    RunFields form;
    form.shell = settings.value(QStringLiteral("shell")).toBool();
    form.command = settings.value(QStringLiteral("command")).toString();
    form.arguments = settings.value(QStringLiteral("arguments")).toString();
    form.directory = settings.value(QStringLiteral("directory")).toString();
    // Earlier versions offered one station more.
    form.stations = std::clamp(settings.value(QStringLiteral("stations"), form.stations).toInt(), 1,
                               static_cast<int>(corotracer::kMostStations));
    const QVariantList environment = settings.value(QStringLiteral("environment")).toList();
    for (const QVariant &entry : environment) {
        const QVariantList parts = entry.toList();
        if (parts.size() == 3)
            form.environment.append({parts[0].toString(), parts[1].toString(), parts[2].toBool()});
    }
    return form;
}

}  // namespace

Result<std::vector<std::string>> splitArguments(const QString &text)
{
    std::vector<std::string> words;
    QString word;
    bool inWord = false;
    QChar quote;
    for (qsizetype i = 0; i < text.size(); ++i) {
        const QChar c = text.at(i);
        if (c == u'\\' && quote != u'\'' && i + 1 < text.size()) {
            const QChar next = text.at(++i);
            // In double quotes, a backslash is special only before a few characters.
            if (quote == u'"' && next != u'"' && next != u'\\' && next != u'$' && next != u'`')
                word.append(c);
            word.append(next);
            inWord = true;
        } else if (!quote.isNull()) {
            if (c == quote)
                quote = QChar();
            else
                word.append(c);
        } else if (c == u'\'' || c == u'"') {
            quote = c;
            inWord = true;
        } else if (c.isSpace()) {
            if (inWord)
                words.push_back(std::exchange(word, {}).toStdString());
            inWord = false;
        } else {
            word.append(c);
            inWord = true;
        }
    }
    if (!quote.isNull())
        return invalid(tr("The arguments contain an unclosed quotation: add the closing %1.").arg(quote));
    if (inWord)
        words.push_back(word.toStdString());
    return words;
}

Result<StartRequest> RunFields::request() const
{
    LaunchSpec spec;
    const QString trimmed = command.trimmed();
    if (trimmed.isEmpty())
        return invalid(shell ? tr("Enter a shell line to run.") : tr("Enter a program to run."));
    if (shell) {
        spec.shellLine = trimmed.toStdString();
    } else {
        Result<std::vector<std::string>> words = splitArguments(arguments);
        if (!words)
            return words.error();
        spec.argv.push_back(trimmed.toStdString());
        spec.argv.insert(spec.argv.end(), words->begin(), words->end());
    }
    if (!directory.isEmpty() && !QFileInfo(directory).isDir())
        return invalid(tr("The working directory %1 does not exist. Choose another one.").arg(directory));
    spec.workingDirectory = directory.toStdString();
    for (const Variable &variable : environment) {
        if (variable.name.isEmpty())
            continue;
        if (variable.name.contains(u'='))
            return invalid(tr("%1 is not a valid name of an environment variable: it contains "
                              "“=”. Choose another name.")
                               .arg(variable.name));
        spec.environment[variable.name.toStdString()] =
            variable.removed ? std::nullopt : std::optional(variable.value.toStdString());
    }
    spec.output = OutputMode::Pty;
    StartRequest request;
    request.what = std::move(spec);
    request.capture.stations = static_cast<std::uint32_t>(stations);
    return request;
}

QString RunFields::title() const
{
    const QString text = shell ? command.simplified() : (command + u' ' + arguments).simplified();
    return text.size() > 80 ? text.left(79) + QChar(0x2026) : text;
}

QList<RunFields> recentRuns(QSettings &settings)
{
    QList<RunFields> runs;
    const int count = std::min(settings.beginReadArray(QStringLiteral("recentRuns")), kMostRecentRuns);
    for (int i = 0; i < count; ++i) {
        settings.setArrayIndex(i);
        runs.append(readRun(settings));
    }
    settings.endArray();
    return runs;
}

void addRecentRun(QSettings &settings, const RunFields &form)
{
    QList<RunFields> runs = recentRuns(settings);
    runs.removeAll(form);
    runs.prepend(form);
    if (runs.size() > kMostRecentRuns)
        runs.resize(kMostRecentRuns);
    settings.remove(QStringLiteral("recentRuns"));
    settings.beginWriteArray(QStringLiteral("recentRuns"), static_cast<int>(runs.size()));
    for (int i = 0; i < runs.size(); ++i) {
        settings.setArrayIndex(i);
        writeRun(settings, runs[i]);
    }
    settings.endArray();
}

}  // namespace ct
