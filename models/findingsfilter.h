// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Sorts findings by their raw values, and hides muted ones and those of other rules.
#pragma once

#include "core/analysis/finding.h"
#include "core/reporting/knownfindings.h"

#include <QSortFilterProxyModel>

#include <set>

namespace ct {

/// The rules whose findings are lost wake-ups.
std::set<Rule> lostWakeupRules();

/// A proxy of FindingsModel, or of another proxy of it that has its roles.
class FindingsFilter : public QSortFilterProxyModel {
    Q_OBJECT
public:
    explicit FindingsFilter(QObject *parent = nullptr);

    void setRules(std::set<Rule> rules);  ///< empty: all
    void setShowsInformation(bool shows);
    void setMuted(KnownFindings muted);
    void setShowsMuted(bool shows);
    /// True for the rows of a finding that is muted, shown or not.
    bool isMuted(const QModelIndex &source) const;

protected:
    bool filterAcceptsRow(int row, const QModelIndex &parent) const override;
    bool lessThan(const QModelIndex &left, const QModelIndex &right) const override;

private:
    std::set<Rule> m_rules;
    KnownFindings m_muted;
    bool m_showsInformation = true;
    bool m_showsMuted = false;
};

}  // namespace ct
