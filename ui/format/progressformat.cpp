// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/format/progressformat.h"

#include "ui/format/format.h"

#include <QCoreApplication>

#include <cmath>

namespace ct::format {

QString jobRate(double progress, double seconds, double rows)
{
    if (progress < 0.01 || seconds < 0.5 || progress >= 1)
        return {};
    const double left = std::ceil(seconds * (1 - progress) / progress);
    const QString time = QCoreApplication::translate("JobRate", "%1 left")
                             .arg(duration(static_cast<std::uint64_t>(left) * 1'000'000'000));
    return rows > 0 ? rate(rows * progress / seconds) + QStringLiteral(", ") + time : time;
}

}  // namespace ct::format
