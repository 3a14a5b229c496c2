// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Formats CoroutineTableModel: texts, dots, alignment, tooltips. The source model does the sorting.
#pragma once

#include "core/addresses/addressresolver.h"
#include "core/analysis/suspects.h"
#include "models/coroutinetablemodel.h"

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

    /// Call for each new population, after the model has it.
    void setTrace(std::shared_ptr<AddressResolver> resolver = nullptr);
    /// Sets the coroutines that are shown as stuck; null = none.
    void setSuspects(std::shared_ptr<const Suspects> suspects);
    /// Call once per sample. Updates the resolved addresses.
    void sample();
    /// Sets the time to which births are relative; ns, CLOCK_MONOTONIC.
    void setOrigin(std::uint64_t origin) { m_origin = origin; }
    /// Applies a new palette and the font for digits.
    void setLook(const QPalette &palette, const QFont &digits);

    QVariant data(const QModelIndex &index, int role = Qt::DisplayRole) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role = Qt::DisplayRole) const override;

private:
    /// nullptr unless the latest verdict warns of the coroutine in its present suspension.
    const Suspects::Suspect *suspect(const QModelIndex &source) const;
    QVariant text(const QModelIndex &source) const;
    QString nameText(const QModelIndex &source) const;
    QString waitText(const QModelIndex &source) const;
    QString processName(std::uint32_t pid) const;
    QVariant foreground(const QModelIndex &source) const;
    QString toolTip(const QModelIndex &source) const;
    QString coroutineTip(const QModelIndex &source) const;
    QString locationToolTip(const QModelIndex &source) const;

    CoroutineTableModel *m_model;
    std::shared_ptr<AddressResolver> m_resolver;
    std::uint64_t m_generationSeen = 0;  ///< the shown generation of m_resolver
    std::uint64_t m_origin = 0;
    const Colors *m_colors;
    QFont m_digits;
    std::array<QIcon, kCoroutineStates> m_dots;  ///< by CoroutineState
    QIcon m_stuckDot;
    std::shared_ptr<const Suspects> m_suspects;         ///< may be null
    mutable QHash<std::uint32_t, QString> m_processes;  // names by pid; a cache, filled by data()
};

}  // namespace ct
