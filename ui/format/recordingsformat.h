// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Formats RecordingsModel, and sorts it as the user wishes.
#pragma once

#include "models/recordingsmodel.h"

#include <QSortFilterProxyModel>

namespace ct {

class RecordingsFormat : public QSortFilterProxyModel {
    Q_OBJECT
public:
    explicit RecordingsFormat(RecordingsModel *model, QObject *parent = nullptr);

    /// Sets the time to which ages are relative; ns since 1970.
    void setNow(std::uint64_t now);
    /// "just now", "40 s ago", "3 min ago", "2 h ago", "5 d ago".
    static QString age(std::uint64_t begun, std::uint64_t now);

    QVariant data(const QModelIndex &index, int role = Qt::DisplayRole) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role = Qt::DisplayRole) const override;

private:
    QString text(const RecordedRun &run, int column) const;
    static QString toolTip(const RecordedRun &run, int column);

    RecordingsModel *m_model;
    std::uint64_t m_now = 0;
};

}  // namespace ct
