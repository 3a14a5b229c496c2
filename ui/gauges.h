// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// What a capture has used of what it may use, and the full account of its events.
#pragma once

#include "core/trace/stream.h"

#include <QWidget>

class QGridLayout;
class QLabel;
class QProgressBar;

namespace ct {

class Gauges : public QWidget {
    Q_OBJECT
public:
    explicit Gauges(QWidget *parent = nullptr);

    void showSums(const Accounting &sums);

protected:
    void changeEvent(QEvent *event) override;

private:
    struct Row {
        QLabel *name = nullptr;
        QProgressBar *bar = nullptr;  ///< nullptr: words only
        QLabel *text = nullptr;
    };
    Row addRow(const char *objectName, const QString &name, bool withBar, const QString &toolTip);
    void setRow(const Row &row, const QString &text, double share, bool warn);
    void setWords(const Row &row, const QString &text, bool warn) { setRow(row, text, 0, warn); }
    void showLanes();
    void showUntraced();

    QGridLayout *m_grid;
    Row m_account;
    Row m_untraced;
    Row m_stations;
    Row m_pool;
    Row m_fullest;
    Row m_lanes;
    Row m_dropped;
    Row m_region;
    Accounting m_sums;
};

}  // namespace ct
