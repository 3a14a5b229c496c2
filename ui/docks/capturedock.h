// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// The state of the capture itself: gauges, processes, and dropped records.
#pragma once

#include "core/stream/stream.h"

#include <QDockWidget>
#include <QElapsedTimer>

#include <memory>

class QAbstractItemModel;
class QSplitter;
class QTabWidget;
class QTableView;

namespace ct {

class DropFormat;
class DropModel;
class Gauges;
class Population;
class ProcessFormat;
class ProcessModel;

class CaptureDock : public QDockWidget {
    Q_OBJECT
public:
    explicit CaptureDock(QWidget *parent = nullptr);

    void setTrace(std::shared_ptr<Population> population);
    /// Sets the time to which shown times are relative; ns, CLOCK_MONOTONIC.
    void setOrigin(std::uint64_t origin);
    void sample(const Accounting &sums);

protected:
    void resizeEvent(QResizeEvent *event) override;

private:
    QTableView *makeTable(const char *objectName, const QString &name, QAbstractItemModel *model, int wide);
    void refresh();
    void share();
    void updateTabs();

    std::shared_ptr<Population> m_population;
    ProcessModel *m_processes;
    DropModel *m_drops;
    ProcessFormat *m_processFormat;
    DropFormat *m_dropFormat;
    Gauges *m_gauges;
    QTabWidget *m_tabs;
    QSplitter *m_splitter;
    bool m_sharedByUser = false;
    Accounting m_sums;
    QElapsedTimer m_sinceSample;
};

}  // namespace ct
