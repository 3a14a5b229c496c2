// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/infobar.h"

#include "ui/format/colors.h"
#include "ui/format/icons.h"

#include <QEvent>
#include <QHBoxLayout>
#include <QLabel>
#include <QToolButton>
#include <QVBoxLayout>

#include <algorithm>

namespace ct {

InfoBar::InfoBar(Kind kind, QWidget *parent)
    : QFrame(parent), m_kind(kind), m_icon(new QLabel(this)), m_text(new QLabel(this))
{
    setAutoFillBackground(true);
    m_text->setObjectName(QStringLiteral("infoBarText"));
    m_text->setWordWrap(true);
    m_text->setMinimumWidth(1);  // else a long word, such as a path, would widen the window
    m_text->setTextFormat(Qt::RichText);
    m_text->setTextInteractionFlags(Qt::TextBrowserInteraction);
    connect(m_text, &QLabel::linkActivated, this, &InfoBar::linkActivated);
    auto *close = new QToolButton(this);
    close->setIcon(icons::icon(QStringLiteral("close")));
    close->setAutoRaise(true);
    close->setToolTip(tr("Close"));
    close->setAccessibleName(tr("Close this message"));
    connect(close, &QToolButton::clicked, this, [this] {
        hide();
        Q_EMIT closed();
    });
    auto *layout = new QHBoxLayout(this);
    layout->setContentsMargins(10, 6, 6, 6);
    layout->addWidget(m_icon, 0, Qt::AlignTop);
    layout->addWidget(m_text, 1);
    layout->addWidget(close, 0, Qt::AlignTop);
    applyLook();
    hide();
}

void InfoBar::showText(const QString &html)
{
    m_text->setText(html);
    m_text->setToolTip(html);  // a long word may be cut off
    show();
    // The layouts may have cached the size of an earlier text. This is not part of fit(), because each invalidation
    // requests the next layout.
    layout()->invalidate();
    updateGeometry();
    if (QWidget *area = parentWidget())
        QCoreApplication::postEvent(area, new QEvent(QEvent::LayoutRequest));  // a hidden area requests no layout
}

QString InfoBar::text() const
{
    return m_text->text();
}

void InfoBar::applyLook()
{
    const Colors &colors = colorsFor(parentWidget() ? parentWidget()->palette() : palette());
    const bool warning = m_kind == Kind::Warning;
    const QColor background = warning ? colors.warningBackground : colors.noticeBackground;
    if (palette().color(QPalette::Window) != background) {  // avoids recursion through changeEvent()
        QPalette own;
        own.setColor(QPalette::Window, background);
        setPalette(own);
    }
    const QIcon icon = icons::icon(warning ? QStringLiteral("warning") : QStringLiteral("details"),
                                   warning ? colors.warningText : colors.accent);
    m_icon->setPixmap(icon.pixmap(QSize(20, 20), devicePixelRatioF()));
}

void InfoBar::changeEvent(QEvent *event)
{
    QFrame::changeEvent(event);
    if (event->type() == QEvent::PaletteChange)
        applyLook();
}

InfoArea::InfoArea(const QList<InfoBar *> &bars, QWidget *parent) : QWidget(parent), m_bars(bars)
{
    auto *column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    for (InfoBar *bar : bars)
        column->addWidget(bar);
    fit();
}

void InfoArea::fit()
{
    const bool any = std::any_of(m_bars.begin(), m_bars.end(), [](InfoBar *bar) { return !bar->isHidden(); });
    setVisible(any);
    if (!any)
        return;
    setFixedHeight(layout()->heightForWidth(std::max(width(), 300)));
}

void InfoArea::resizeEvent(QResizeEvent *event)
{
    QWidget::resizeEvent(event);
    if (event->oldSize().width() != event->size().width())
        fit();
}

bool InfoArea::event(QEvent *event)
{
    const bool done = QWidget::event(event);
    if (event->type() == QEvent::LayoutRequest)
        fit();
    return done;
}

}  // namespace ct
