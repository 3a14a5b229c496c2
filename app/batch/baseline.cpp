// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/batch/baseline.h"

#include <QFile>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>

#include <algorithm>

namespace ct {

Result<std::vector<std::string>> readBaseline(const std::string &path)
{
    QFile file(QString::fromStdString(path));
    if (!file.open(QIODevice::ReadOnly))
        return Error{ErrorCode::InputOutput,
                     "--baseline " + path + ": cannot be read: " + file.errorString().toStdString()};
    QJsonParseError error;
    const QJsonDocument document = QJsonDocument::fromJson(file.readAll(), &error);
    if (error.error != QJsonParseError::NoError)
        return Error{ErrorCode::InvalidArgument, "--baseline " + path + ": byte " + std::to_string(error.offset) +
                                                     ": " + error.errorString().toStdString() +
                                                     "; give a file of --report json"};
    if (!document.object().value(QLatin1String("findings")).isArray())
        return Error{ErrorCode::InvalidArgument,
                     "--baseline " + path + ": has no findings; give a file of --report json"};
    std::vector<std::string> fingerprints;
    for (const QJsonValue finding : document.object().value(QLatin1String("findings")).toArray())
        fingerprints.push_back(finding.toObject().value(QLatin1String("fingerprint")).toString().toStdString());
    std::sort(fingerprints.begin(), fingerprints.end());
    return fingerprints;
}

}  // namespace ct
