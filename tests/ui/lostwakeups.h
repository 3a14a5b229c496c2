// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Finds lost wake-ups in the findings that a window lists.
#pragma once

#include "models/findingsmodel.h"

#include <QAbstractItemView>
#include <QWidget>

namespace gui {

/// The first finding of a lost wake-up that is an error; invalid if there is none. Warnings do not count: on a busy
/// machine, a coroutine can be resumed so late that there is one until then.
inline QModelIndex lostWakeUp(const QWidget &window)
{
    const auto *view = window.findChild<QAbstractItemView *>(QStringLiteral("findingsTree"));
    for (int row = 0; row < view->model()->rowCount(); ++row) {
        const QModelIndex finding = view->model()->index(row, ct::FindingsModel::WhereColumn);
        const auto severity = static_cast<ct::Severity>(finding.data(ct::FindingsModel::SeverityRole).toInt());
        const auto rule = static_cast<ct::Rule>(finding.data(ct::FindingsModel::RuleRole).toInt());
        if (severity == ct::Severity::Error && rule == ct::Rule::LostWakeup)
            return finding;
    }
    return {};
}

}  // namespace gui
