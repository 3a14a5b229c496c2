// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// A coloured bar across the window that shows a message without blocking.
#pragma once

#include <QFrame>

class QLabel;

namespace ct {

class InfoBar : public QFrame {
    Q_OBJECT
public:
    enum class Kind { Notice, Warning };
    explicit InfoBar(Kind kind, QWidget *parent = nullptr);

    /// Sets the rich text and shows the bar.
    void showText(const QString &html);
    QString text() const;

Q_SIGNALS:
    void closed();
    void linkActivated(const QString &link);  ///< the user clicked a link in the text

protected:
    void changeEvent(QEvent *event) override;

private:
    void applyLook();

    Kind m_kind;
    QLabel *m_icon;
    QLabel *m_text;
};

/// Stacks info bars. Its height fits the visible bars; it is hidden if there are none.
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
