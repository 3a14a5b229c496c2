// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/commandline/commandline.h"

#include <QString>
#include <QStringList>

#include <string>
#include <vector>

namespace ct::test {

/// Parses the words of a command line, which spaces separate; '' is an empty word.
inline Result<CommandLine> parse(const QString &line)
{
    std::vector<std::string> words;
    for (const QString &word : line.split(QLatin1Char(' '), Qt::SkipEmptyParts))
        words.push_back(word == QLatin1String("''") ? std::string() : word.toStdString());
    return parseCommandLine(words);
}

inline Result<CommandLine> parse(const char *line)
{
    return parse(QString::fromUtf8(line));
}

}  // namespace ct::test
