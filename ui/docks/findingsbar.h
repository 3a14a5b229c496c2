// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Chooses which findings are shown: those of some rules, information, muted ones.
#pragma once

#include <QWidget>

class QComboBox;
class QToolButton;

namespace ct {

class FindingsFilter;

class FindingsBar : public QWidget {
    Q_OBJECT
public:
    /// Applies what the user chooses to the filter, which must outlive this widget.
    explicit FindingsBar(FindingsFilter &filter, QWidget *parent = nullptr);

Q_SIGNALS:
    void changed();  ///< the filter has changed

private:
    QToolButton *addToggle(const char *objectName, const QString &text, const QString &toolTip);
    void apply();

    FindingsFilter &m_filter;
    QComboBox *m_rules;
    QToolButton *m_information;
    QToolButton *m_muted;
};

}  // namespace ct
