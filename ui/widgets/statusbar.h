// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Shows the state and the sums of a capture. Losses are always visible: no sum is elided, and only sums of 0 are
// hidden.
#pragma once

#include "core/session/session.h"

#include <QStatusBar>

class QLabel;

namespace ct {

class StatusBar : public QStatusBar {
    Q_OBJECT
public:
    explicit StatusBar(QWidget *parent = nullptr);

    /// `alert` emphasizes the text.
    void showState(const QString &text, bool alert = false);
    /// Shows how far the views are behind a stream; an empty text hides the field.
    void showBehind(const QString &text, bool alert = false);
    void showSums(const Accounting &sums, double eventsPerSecond);

protected:
    void changeEvent(QEvent *event) override;

private:
    QLabel *addField(const char *objectName, const QString &toolTip);
    void setField(QLabel *label, const QString &text, bool warn);

    QLabel *m_state;
    QLabel *m_behind;
    QLabel *m_events;
    QLabel *m_rate;
    QLabel *m_lost;
    QLabel *m_missed;
    QLabel *m_untraced;
    QLabel *m_stations;
    QLabel *m_full;
    QString m_stateText;
    bool m_alert = false;
    QString m_behindText;
    bool m_behindAlert = false;
    Accounting m_sums;
    double m_eventsPerSecond = 0;
};

}  // namespace ct
