// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/startpage.h"

#include "ui/format/format.h"

#include <QAction>
#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>
#include <QVBoxLayout>

namespace ct {

namespace {

QPushButton *makeButton(QAction *action, const QString &name, QWidget *parent)
{
    auto *button = new QPushButton(action->icon(), action->text().remove(u'&'), parent);
    button->setObjectName(name);
    button->setIconSize(QSize(20, 20));
    button->setMinimumHeight(36);
    button->setToolTip(action->toolTip());
    QObject::connect(button, &QPushButton::clicked, action, &QAction::trigger);
    return button;
}

}  // namespace

StartPage::StartPage(QAction *run, QAction *attach, QAction *open, QWidget *parent)
    : QWidget(parent), m_title(new QLabel(this)), m_text(new QLabel(this)), m_buttons(new QWidget(this))
{
    setObjectName(QStringLiteral("startPage"));
    setAutoFillBackground(true);
    setBackgroundRole(QPalette::Base);

    QFont large = m_title->font();
    large.setPointSizeF(large.pointSizeF() * 1.6);
    m_title->setFont(large);
    m_title->setAlignment(Qt::AlignCenter);
    m_text->setAlignment(Qt::AlignCenter);
    m_text->setWordWrap(true);
    m_text->setTextFormat(Qt::PlainText);  // the text may contain a path
    m_text->setTextInteractionFlags(Qt::TextSelectableByMouse);

    auto *row = new QHBoxLayout(m_buttons);
    row->setContentsMargins(0, 8, 0, 0);
    row->addStretch();
    row->addWidget(makeButton(run, QStringLiteral("startRunButton"), m_buttons));
    row->addWidget(makeButton(attach, QStringLiteral("startAttachButton"), m_buttons));
    row->addWidget(makeButton(open, QStringLiteral("startOpenButton"), m_buttons));
    row->addStretch();

    auto *layout = new QVBoxLayout(this);
    layout->addStretch(2);
    layout->addWidget(m_title);
    layout->addWidget(m_text);
    layout->addWidget(m_buttons);
    layout->addStretch(3);
    showWelcome();
}

void StartPage::showWelcome()
{
    showMessage(tr("Watch coroutines live"),
                tr("Run a program built with the probe, attach to one that is running,\nor open a recording."), true);
}

void StartPage::showMessage(const QString &title, const QString &text, bool withButtons)
{
    m_title->setText(title);
    m_text->setText(format::printableLines(text));
    m_buttons->setVisible(withButtons);
}

}  // namespace ct
