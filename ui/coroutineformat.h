// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// CoroutineTableModel as people read it: texts, dots, alignment, tooltips. Sorting goes to the model underneath.
#pragma once

#include "core/session/places.h"
#include "models/coroutinetablemodel.h"
#include "models/timelinestuck.h"

#include <QFont>
#include <QHash>
#include <QIcon>
#include <QIdentityProxyModel>

#include <array>
#include <optional>

namespace ct {

struct Colors;

class CoroutineFormat : public QIdentityProxyModel {
    Q_OBJECT
public:
    explicit CoroutineFormat(CoroutineTableModel *model, QObject *parent = nullptr);

    /// To be called with each new population, after the model has it.
    void setTrace(const Population *population, std::shared_ptr<Places> places = nullptr);
    /// To be called once a sample: keeps what counts as stuck, and what addresses mean, up to date.
    void sample();
    /// Births are shown relative to it; ns, CLOCK_MONOTONIC.
    void setOrigin(std::uint64_t origin) { m_origin = origin; }
    /// Remakes what depends on palette and font.
    void setLook(const QPalette &palette, const QFont &digits);

    QVariant data(const QModelIndex &index, int role = Qt::DisplayRole) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role = Qt::DisplayRole) const override;

private:
    bool isStuck(const QModelIndex &source) const;
    QVariant text(const QModelIndex &source) const;
    QString nameText(const QModelIndex &source) const;
    QString waitText(const QModelIndex &source) const;
    QString processName(std::uint32_t pid) const;
    QVariant foreground(const QModelIndex &source) const;
    QString toolTip(const QModelIndex &source) const;
    QString stuckToolTip(CoroutineId id) const;
    QString placeToolTip(const QModelIndex &source) const;

    CoroutineTableModel *m_model;
    std::shared_ptr<Places> m_places;
    std::uint64_t m_placesSeen = 0;  ///< generation
    std::uint64_t m_origin = 0;
    const Colors *m_colors;
    QFont m_digits;
    std::array<QIcon, 6> m_dots;  ///< by CoroutineState
    QIcon m_stuckDot;
    mutable std::optional<StuckThresholds> m_stuck;     // a cache
    mutable QHash<std::uint32_t, QString> m_processes;  // another
};

}  // namespace ct
