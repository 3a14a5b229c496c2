// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// The evidence card of a finding: its sentence, the waits at its site, what is known about one of its coroutines, and
// what the user can do.
#pragma once

#include "ui/format/findingtext.h"

#include <QWidget>

#include <optional>

class QLabel;
class QTextBrowser;
class QToolButton;

namespace ct {

class WaitHistogram;

class FindingCard : public QWidget {
    Q_OBJECT
public:
    explicit FindingCard(QWidget *parent = nullptr);

    /// `found`: see findingEvidence(). `muteReason`: nullopt = not muted.
    void show(const FindingSubject &subject, const ReportedFinding &reported, CoroutineId coroutine,
              const Circumstances *found, const std::optional<QString> &muteReason);
    void clear();
    /// All of it as plain text.
    QString text() const;

Q_SIGNALS:
    void coroutineActivated(ct::CoroutineId coroutine);
    void timelineRequested();
    void tableRequested();
    void sourceRequested();
    void muteRequested();

protected:
    void changeEvent(QEvent *event) override;

private:
    QToolButton *addButton(const char *objectName, const QString &text, const QString &toolTip,
                           void (FindingCard::*signal)());

    QLabel *m_title;
    QLabel *m_rule;
    WaitHistogram *m_histogram;
    QTextBrowser *m_evidence;
    QWidget *m_buttons;
    QToolButton *m_timeline;
    QToolButton *m_table;
    QToolButton *m_source;
    QToolButton *m_mute;
    QString m_html;  ///< of m_evidence
};

}  // namespace ct
