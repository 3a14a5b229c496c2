// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/batch/baseline.h"

#include <QFile>
#include <QFileInfo>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>

namespace ct {

namespace {

constexpr qint64 kMostBytes = 64 << 20;  ///< a report of 10,000 findings has some 7 MiB

Result<QByteArray> contentOf(const std::string &path)
{
    const QString name = QString::fromStdString(path);
    const QFileInfo info(name);
    // A pipe could block for ever, and a device might never end.
    if (info.exists() && !info.isFile())
        return Error{ErrorCode::InvalidArgument,
                     "--baseline " + path + " is not a regular file; give a file of --report json"};
    QFile file(name);
    if (!file.open(QIODevice::ReadOnly))
        return Error{ErrorCode::InputOutput,
                     "--baseline " + path + " cannot be read: " + file.errorString().toStdString()};
    QByteArray content = file.read(kMostBytes + 1);
    if (content.size() > kMostBytes)
        return Error{ErrorCode::InvalidArgument, "--baseline " + path + " is larger than " +
                                                     std::to_string(kMostBytes >> 20) +
                                                     " MiB; give a file of --report json"};
    return content;
}

}  // namespace

Result<KnownFindings> readBaseline(const std::string &path)
{
    const Result<QByteArray> content = contentOf(path);
    if (!content)
        return content.error();
    QJsonParseError error;
    const QJsonDocument document = QJsonDocument::fromJson(*content, &error);
    if (error.error != QJsonParseError::NoError)
        return Error{ErrorCode::InvalidArgument, "--baseline " + path + ": byte " + std::to_string(error.offset) +
                                                     ": " + error.errorString().toStdString() +
                                                     "; give a file of --report json"};
    if (!document.object().value(QLatin1String("findings")).isArray())
        return Error{ErrorCode::InvalidArgument,
                     "--baseline " + path + " has no findings; give a file of --report json"};
    KnownFindings known;
    for (const QJsonValue value : document.object().value(QLatin1String("findings")).toArray()) {
        const QJsonObject finding = value.toObject();
        known.add(finding.value(QLatin1String("fingerprint")).toString().toStdString(),
                  severityNamed(finding.value(QLatin1String("severity")).toString().toStdString()));
    }
    return known;
}

}  // namespace ct
