// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/batch/findinglines.h"

#include <QCoreApplication>

#include <algorithm>

namespace ct {

namespace {

constexpr std::size_t kMostSaid = 20;

QString tr(const char *text)
{
    return QCoreApplication::translate("FindingLines", text);
}

}  // namespace

QStringList findingLines(const Summary &summary, const std::string &problem)
{
    const std::vector<FoundGroup> &stuck = summary.stuck;
    QStringList lines;
    const std::size_t reported = std::min(stuck.size(), kMostSaid);
    for (std::size_t i = 0; i < reported; ++i)
        lines << QString::fromStdString("stuck: " + describe(stuck[i]));
    std::size_t left = 0;
    for (std::size_t i = reported; i < stuck.size(); ++i)
        left += stuck[i].coroutines.size();
    if (left > 0)
        lines << tr("stuck: %1 more coroutines at %2 more sites; --summary FILE lists all of them")
                     .arg(left)
                     .arg(stuck.size() - reported);
    const auto unknown =
        std::find_if(stuck.begin(), stuck.end(), [](const FoundGroup &group) { return !group.remedy.empty(); });
    const std::string reason = problem.empty() && unknown != stuck.end() ? unknown->remedy : problem;
    if (!stuck.empty() && !reason.empty())
        lines << tr("some addresses have no function: %1").arg(QString::fromStdString(reason));
    for (const Abstention &abstention : summary.abstained)
        lines << QString::fromStdString("not judged: " + std::string(nameOf(abstention.rule)) + ", " +
                                        std::to_string(abstention.count) + ": " + abstention.reason);
    return lines;
}

}  // namespace ct
