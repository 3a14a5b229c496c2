// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Lost wake-ups: coroutines suspended far longer than usual, grouped by suspension point.
#pragma once

#include "models/stuckmodel.h"

#include <QDockWidget>
#include <QElapsedTimer>

#include <memory>

class QLabel;
class QStackedWidget;
class QTreeView;

namespace ct {

class StuckFormat;

class StuckDock : public QDockWidget {
    Q_OBJECT
public:
    explicit StuckDock(QWidget *parent = nullptr);

    /// `deathsKnown` is false for a recording that does not state which coroutines were destroyed.
    void setTrace(std::shared_ptr<Population> population, bool deathsKnown,
                  std::shared_ptr<AddressResolver> resolver = nullptr);
    /// Sets two texts: the time of the judgement ("at the end of the run"), and an earlier judgement. An empty text is
    /// not shown.
    void setInstant(const QString &instant, const QString &before);
    void sample();
    int stuckCount() const { return m_model->stuckCount(); }

public Q_SLOTS:
    void select(ct::CoroutineId coroutine);

Q_SIGNALS:
    void coroutineSelected(ct::CoroutineId coroutine);
    /// `filterText` is for the filter of the coroutine table.
    void siteActivated(const QString &filterText);

protected:
    void changeEvent(QEvent *event) override;

private:
    void setUpTree();
    void activate(const QModelIndex &index);
    void updateSummary();

    std::shared_ptr<Population> m_population;
    StuckModel *m_model;
    StuckFormat *m_format;
    QStackedWidget *m_pages;
    QTreeView *m_tree;
    QLabel *m_empty;
    QLabel *m_summary;
    QLabel *m_notice;
    QString m_instant;
    QString m_before;
    QElapsedTimer m_sinceSample;
    bool m_selecting = false;
};

}  // namespace ct
