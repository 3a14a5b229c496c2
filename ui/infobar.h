// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// A coloured bar across the window that says something without stopping anybody.
#pragma once

#include <QFrame>

class QLabel;

namespace ct {

class InfoBar : public QFrame {
    Q_OBJECT
public:
    enum class Kind { Notice, Warning };
    explicit InfoBar(Kind kind, QWidget *parent = nullptr);

    /// Rich text. Shows the bar.
    void showText(const QString &html);
    QString text() const;

Q_SIGNALS:
    void closed();
    void linkActivated(const QString &link);  ///< of the text

protected:
    void changeEvent(QEvent *event) override;

private:
    void applyLook();

    Kind m_kind;
    QLabel *m_icon;
    QLabel *m_text;
};

/// Stacks info bars; as high as those that are shown need, nothing when there are none.
class InfoArea : public QWidget {
    Q_OBJECT
public:
    explicit InfoArea(const QList<InfoBar *> &bars, QWidget *parent = nullptr);

protected:
    void resizeEvent(QResizeEvent *event) override;
    bool event(QEvent *event) override;

private:
    void fit();
    QList<InfoBar *> m_bars;
};

}  // namespace ct
