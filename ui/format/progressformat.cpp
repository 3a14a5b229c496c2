// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/format/progressformat.h"

#include "core/exporting/exporttrace.h"
#include "ui/format/format.h"

#include <QCoreApplication>

#include <cmath>

namespace ct::format {

QString jobRate(double progress, double seconds, double rows, const QString &end)
{
    if (progress >= kRowsWritten)
        return end;
    const double written = progress / kRowsWritten;
    if (written < 0.01 || seconds < 0.5)
        return {};
    const double left = std::ceil(seconds * (1 - written) / written);
    QString text = QCoreApplication::translate("JobRate", "%1 left")
                       .arg(duration(static_cast<std::uint64_t>(left) * 1'000'000'000));
    if (rows > 0)
        text.prepend(rate(rows * written / seconds) + QStringLiteral(", "));
    return end.isEmpty() ? text : QCoreApplication::translate("JobRate", "%1, then %2").arg(text, end);
}

}  // namespace ct::format
