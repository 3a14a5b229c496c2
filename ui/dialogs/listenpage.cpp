// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/dialogs/listenpage.h"

#include "ui/dialogs/launchpage.h"
#include "ui/format/icons.h"

#include <QClipboard>
#include <QFontDatabase>
#include <QFormLayout>
#include <QGuiApplication>
#include <QLabel>
#include <QPlainTextEdit>
#include <QSpinBox>
#include <QToolButton>
#include <QVBoxLayout>

namespace ct {

ListenPage::ListenPage(QWidget *parent) : QWidget(parent), m_lines(new QWidget(this)), m_stations(makeStationsBox(this))
{
    m_stations->setObjectName(QStringLiteral("listenStations"));
    auto *text = new QLabel(tr("Creates a region and waits. Start the target yourself, in a shell, as a service or in "
                               "a container, with the lines that will appear here."),
                            this);
    text->setWordWrap(true);
    auto *form = new QFormLayout;
    form->addRow(tr("S&tations"), m_stations);
    auto *layout = new QVBoxLayout(this);
    layout->addWidget(text);
    layout->addLayout(form);
    layout->addWidget(m_lines);
    layout->addStretch();
    auto *linesLayout = new QVBoxLayout(m_lines);
    linesLayout->setContentsMargins(0, 0, 0, 0);
    m_shell = addBlock(tr("In a shell"), QStringLiteral("listenShell"), 3);
    m_systemd = addBlock(tr("As a systemd service (systemctl edit)"), QStringLiteral("listenSystemd"), 5);
    m_container = addBlock(tr("In a container"), QStringLiteral("listenContainer"), 4);
    m_lines->hide();
}

QPlainTextEdit *ListenPage::addBlock(const QString &title, const QString &name, int lines)
{
    auto *edit = new QPlainTextEdit(m_lines);
    edit->setObjectName(name);
    edit->setReadOnly(true);
    edit->setAccessibleName(title);
    edit->setTabChangesFocus(true);
    edit->setFont(QFontDatabase::systemFont(QFontDatabase::FixedFont));
    edit->setFixedHeight(QFontMetrics(edit->font()).lineSpacing() * lines + 12);
    auto *copy = new QToolButton(m_lines);
    copy->setObjectName(name + QStringLiteral("Copy"));
    copy->setIcon(icons::icon(QStringLiteral("copy")));
    copy->setText(tr("Copy"));
    copy->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
    copy->setAccessibleName(tr("Copy: %1").arg(title));
    connect(copy, &QToolButton::clicked, edit, [edit] { QGuiApplication::clipboard()->setText(edit->toPlainText()); });
    auto *row = new QHBoxLayout;
    auto *label = new QLabel(title, m_lines);
    label->setBuddy(edit);
    row->addWidget(label, 1);
    row->addWidget(copy);
    auto *layout = static_cast<QVBoxLayout *>(m_lines->layout());
    layout->addSpacing(6);
    layout->addLayout(row);
    layout->addWidget(edit);
    return edit;
}

int ListenPage::stations() const
{
    return m_stations->value();
}

void ListenPage::showInstructions(const TracedEnvironment &environment)
{
    m_stations->setValue(static_cast<int>(environment.stations));
    m_stations->setEnabled(false);
    m_shell->setPlainText(Instructions::shellLine(environment));
    m_systemd->setPlainText(Instructions::systemdUnit(environment));
    m_container->setPlainText(Instructions::containerLine(environment));
    m_lines->show();
}

void ListenPage::reset()
{
    m_stations->setEnabled(true);
    m_lines->hide();
}

}  // namespace ct
