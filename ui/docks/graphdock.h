// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// The dock with the wait-for graph: which coroutine waits for what, and who holds it.
#pragma once

#include "core/reporting/graphlayout.h"
#include "core/target/dotprocess.h"
#include "models/waitgraphmodel.h"

#include <QDockWidget>
#include <QElapsedTimer>
#include <QTimer>

#include <memory>

class QLabel;
class QPushButton;
class QStackedWidget;

namespace ct {

class GraphView;

class GraphDock : public QDockWidget {
    Q_OBJECT
public:
    explicit GraphDock(QWidget *parent = nullptr);

    /// `name`: of the run. `objects` and `resolver` may be null.
    void setTrace(std::shared_ptr<Population> population, std::shared_ptr<const ObjectHistory> objects,
                  std::shared_ptr<AddressResolver> resolver, const QString &name);
    void sample();
    /// Writes the graph as shown: a picture if the path ends in .svg, else in the language of dot.
    void exportTo(const QString &path);
    /// The time that dot has for a layout, in ms.
    void setLayoutTime(int mostMs) { m_mostMs = mostMs; }

public Q_SLOTS:
    void select(ct::CoroutineId coroutine);

Q_SIGNALS:
    void coroutineSelected(ct::CoroutineId coroutine);
    void coroutineActivated(ct::CoroutineId coroutine);
    void layoutChanged();
    void failed(const QString &title, const QString &message);

protected:
    void changeEvent(QEvent *event) override;

private:
    QWidget *makeBar();
    void showSample();
    void showLayout(GraphLayout layout);
    void onDotFinished(const QByteArray &output);
    void updateTexts();
    void updateLegend();
    void askForFile(const QString &suffix);

    WaitGraphModel *m_model;
    DotProcess *m_dot;
    QTimer m_patience;  ///< until the plain layout is shown in the meantime
    int m_mostMs = DotProcess::kMostMs;
    QStackedWidget *m_pages;
    QLabel *m_empty;
    QLabel *m_summary;
    QLabel *m_legend;
    GraphView *m_view;
    QPushButton *m_export = nullptr;
    QString m_name;
    std::shared_ptr<const ShownGraph> m_laidOut;  ///< the reading that dot lays out at present
    std::shared_ptr<const ShownGraph> m_shown;    ///< the reading in the view
    QElapsedTimer m_sinceSample;
};

}  // namespace ct
