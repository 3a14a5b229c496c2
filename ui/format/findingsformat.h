// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Formats FindingsModel: "Error", "Lost wake-up", "async_read net.cpp:88".
#pragma once

#include "models/findingsmodel.h"

#include <QIcon>
#include <QIdentityProxyModel>

#include <array>

namespace ct {

namespace format {

QString severityName(Severity severity);  ///< "Error"
QString ruleName(Rule rule);              ///< "Lost wake-up"
/// Why a view marks a coroutine: "Stuck: lost wake-up (warning)".
QString suspicion(const Suspects::Suspect &suspect);
/// "async_read net.cpp:88", else the address, else "the whole run" or "an unknown location".
QString location(const ReportedFinding &reported);

}  // namespace format

class FindingsFormat : public QIdentityProxyModel {
    Q_OBJECT
public:
    explicit FindingsFormat(FindingsModel *model, QObject *parent = nullptr);

    /// May be null.
    void setResolver(std::shared_ptr<AddressResolver> resolver) { m_resolver = std::move(resolver); }
    /// Sets the time that Since is relative to; ns, CLOCK_MONOTONIC.
    void setOrigin(std::uint64_t origin) { m_origin = origin; }
    /// Sets the colours of the palette.
    void setLook(const QPalette &palette);

    QVariant data(const QModelIndex &index, int role = Qt::DisplayRole) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role = Qt::DisplayRole) const override;

private:
    QString text(const QModelIndex &source) const;
    QString whereText(const QModelIndex &source) const;
    QString toolTip(const QModelIndex &source) const;
    QVariant foreground(const QModelIndex &source) const;

    FindingsModel *m_model;
    std::shared_ptr<AddressResolver> m_resolver;
    std::uint64_t m_origin = 0;
    QColor m_warningText;
    QColor m_mutedText;
    std::array<QIcon, 3> m_dots;  ///< by severity
};

}  // namespace ct
