// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/session/nothingtraced.h"

#include <utility>

namespace ct {

namespace {

constexpr int kDelayMs = 3000;

}  // namespace

NothingTraced::NothingTraced(std::function<std::optional<QString>()> why, QObject *parent)
    : QObject(parent), m_why(std::move(why))
{
    m_timer.setSingleShot(true);
    m_timer.setInterval(kDelayMs);
    connect(&m_timer, &QTimer::timeout, this, &NothingTraced::check);
}

void NothingTraced::targetCame()
{
    if (!std::exchange(m_hasBegun, true))
        m_timer.start();
}

void NothingTraced::check()
{
    if (m_hasReported)
        return;
    if (const std::optional<QString> why = m_why()) {
        m_hasReported = true;
        Q_EMIT reported(*why);
    }
}

}  // namespace ct
