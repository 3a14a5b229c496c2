// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// The findings of a run, grouped by rule and site, next to the evidence of the selected one.
#pragma once

#include "core/analysis/judgedata.h"
#include "models/findingsfilter.h"
#include "models/findingsmodel.h"
#include "ui/docks/mutedfindings.h"
#include "ui/format/findingtext.h"

#include <QDockWidget>

#include <map>
#include <memory>
#include <optional>

class QLabel;
class QSplitter;
class QStackedWidget;
class QTreeView;

namespace ct {

class FindingCard;
class FindingsFormat;

/// What the dock needs of a run.
struct FindingsTrace {
    std::shared_ptr<const Population> population;
    std::shared_ptr<const JudgeData> data;
    std::shared_ptr<const History> history;
    std::shared_ptr<AddressResolver> resolver;
    QString name;             ///< of the run, if no process has a name
    bool isLive = false;      ///< new findings are announced
    bool deathsKnown = true;  ///< false: the recording does not say which coroutines were destroyed
};

class FindingsDock : public QDockWidget {
    Q_OBJECT
public:
    explicit FindingsDock(QWidget *parent = nullptr);
    ~FindingsDock() override;

    /// A trace without a population shows nothing.
    void setTrace(FindingsTrace trace);
    void setJudgement(std::shared_ptr<const Judgement> judgement);
    /// Sets the time of the judgement as text ("at the end of the run").
    void setInstant(const QString &instant);
    /// Sets the time 0 of shown times, and the wall-clock time of the moment 0 of CLOCK_MONOTONIC (ns since 1970; 0 =
    /// unknown).
    void setOrigin(std::uint64_t origin, std::int64_t wallClock);

    /// Number of findings that are shown.
    int shownCount() const;

public Q_SLOTS:
    void select(ct::CoroutineId coroutine);

Q_SIGNALS:
    void coroutineSelected(ct::CoroutineId coroutine);
    /// `filterText` is for the filter of the coroutine table.
    void siteActivated(const QString &filterText);
    /// Show the coroutine from `from` to `to` (ns, CLOCK_MONOTONIC).
    void timelineRequested(ct::CoroutineId coroutine, std::uint64_t from, std::uint64_t to);
    /// A warning or an error has appeared in a live run, or a warning has become an error. `text` is one line.
    void appeared(const QString &text);
    void failed(const QString &title, const QString &message);

protected:
    void changeEvent(QEvent *event) override;
    void resizeEvent(QResizeEvent *event) override;
    bool eventFilter(QObject *watched, QEvent *event) override;

private:
    void connectCard();
    void setUpTree();
    void announceNew();
    void selectFirst();
    void loadMuted();
    std::size_t shownCoroutines() const;
    void updateTexts();
    void shareHeight();
    void updateAbstained();
    void updateRetracted();
    void showCard();
    std::optional<Circumstances> circumstancesOf(CoroutineId coroutine) const;
    FindingSubject subject() const;
    QModelIndex current() const;  ///< in the model
    void activate(const QModelIndex &index);
    void filterTable();
    void openSource();
    void requestTimeline();
    void muteOrUnmute();
    void askToMute(const QString &fingerprint, Severity severity, const QString &what);

    FindingsTrace m_trace;
    FindingsModel *m_model;
    FindingsFormat *m_format;
    FindingsFilter *m_filter;
    MutedFindings m_muted;
    QString m_program;
    QStackedWidget *m_pages;
    QSplitter *m_splitter;
    bool m_isSharedByUser = false;  ///< the user has moved the border between list and card
    QTreeView *m_tree;
    FindingCard *m_card;
    QLabel *m_empty;
    QLabel *m_summary;
    QLabel *m_notice;
    QLabel *m_abstained;
    QLabel *m_retracted;
    QString m_instant;
    std::uint64_t m_origin = 0;
    std::int64_t m_wallClock = 0;
    std::map<QString, Severity> m_announced;  ///< by fingerprint: the most severe one
    bool m_selecting = false;
};

}  // namespace ct
