// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Shows all event counts of a capture, and the used and available memory of its region.
#pragma once

#include "core/stream/stream.h"

#include <QWidget>

class QBoxLayout;
class QGridLayout;
class QLabel;
class QProgressBar;

namespace ct {

class Gauges : public QWidget {
    Q_OBJECT
public:
    explicit Gauges(QWidget *parent = nullptr);

    void showSums(const Accounting &sums);
    /// Puts the two parts one below the other instead of side by side.
    void setStacked(bool stacked);

protected:
    void changeEvent(QEvent *event) override;

private:
    struct Row {
        QLabel *name = nullptr;
        QProgressBar *bar = nullptr;  ///< nullptr: the row has only text
        QLabel *text = nullptr;
    };
    void makeAccount(QGridLayout *grid);
    void makeMemory(QGridLayout *grid);
    Row addRow(QGridLayout *grid, const char *objectName, const QString &name, const QString &toolTip);
    void addBar(QGridLayout *grid, Row &row);
    void setText(const Row &row, const QString &text, bool warn);
    /// Shows a row only if its number is not 0.
    void setRare(const Row &row, std::uint64_t number, bool warn);
    void setBar(const Row &row, double share);
    void show(const Row &row, const QString &text);
    void showEffect();
    void showMemory();

    QBoxLayout *m_parts;
    Row m_captured;
    Row m_lost;
    Row m_missed;
    Row m_total;
    Row m_untraced;
    Row m_whileOff;
    Row m_early;
    Row m_traceless;
    Row m_notesLost;
    Row m_overflowCoroutines;
    Row m_overflowEvents;
    Row m_effect;
    Row m_limited;
    Row m_stations;
    Row m_pool;
    Row m_fullest;
    Row m_lanes;
    Row m_without;
    Row m_dropped;
    Row m_region;
    Accounting m_sums;
};

}  // namespace ct
