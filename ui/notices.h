// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// The notices of a run, each of them shown once, in one info bar. GUI thread.
#pragma once

#include "ui/overflownotices.h"

#include <QObject>
#include <QStringList>

namespace ct {

struct Accounting;
class InfoBar;
class Run;

class Notices final : public QObject {
    Q_OBJECT
public:
    /// The bar must outlive this object.
    explicit Notices(InfoBar &bar, QObject *parent = nullptr);

    /// Removes all notices, because another run begins.
    void clear();
    /// Adds a notice, unless it is shown already.
    void addNotice(const QString &notice);
    /// Replaces all notices by one, about something that the user has just done.
    void replace(const QString &notice);
    /// Adds the notices that follow from the present state and sums of the run.
    void sample(const Run &run, const Accounting &sums);
    /// Reports again if functions cannot be resolved, because the debug search path has changed.
    void expectSymbols() { m_reportedNoSymbols = false; }

private:
    InfoBar &m_bar;
    QStringList m_notices;
    OverflowNotices m_overflow;
    bool m_reportedApproximate = false;
    bool m_reportedLacking = false;
    bool m_reportedNoSymbols = false;
};

}  // namespace ct
