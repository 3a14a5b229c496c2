// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/docks/findingsbar.h"

#include "models/findingsfilter.h"
#include "ui/format/findingsformat.h"

#include <QComboBox>
#include <QHBoxLayout>
#include <QToolButton>

namespace ct {

namespace {

constexpr int kAllRules = -1;
constexpr int kLostWakeups = -2;

std::set<Rule> rulesOf(int choice)
{
    if (choice == kAllRules)
        return {};
    return choice == kLostWakeups ? lostWakeupRules() : std::set<Rule>{static_cast<Rule>(choice)};
}

}  // namespace

FindingsBar::FindingsBar(FindingsFilter &filter, QWidget *parent)
    : QWidget(parent), m_filter(filter), m_rules(new QComboBox)
{
    auto *layout = new QHBoxLayout(this);
    layout->setContentsMargins(6, 4, 6, 0);
    m_rules->setObjectName(QStringLiteral("findingsRules"));
    m_rules->setAccessibleName(tr("Rules"));
    m_rules->addItem(tr("All rules"), kAllRules);
    m_rules->addItem(tr("Lost wake-ups"), kLostWakeups);
    for (std::size_t rule = 0; rule < kRules; ++rule)
        m_rules->addItem(format::ruleName(static_cast<Rule>(rule)), static_cast<int>(rule));
    layout->addWidget(m_rules);
    layout->addStretch(1);
    m_information = addToggle("findingsInformation", tr("Information"),
                              tr("Shows what is unusual, although a healthy program may do it"));
    m_information->setChecked(true);
    m_muted = addToggle("findingsMuted", tr("Muted"), tr("Shows muted findings, too"));
    connect(m_rules, &QComboBox::currentIndexChanged, this, &FindingsBar::apply);
    connect(m_information, &QToolButton::toggled, this, &FindingsBar::apply);
    connect(m_muted, &QToolButton::toggled, this, &FindingsBar::apply);
}

QToolButton *FindingsBar::addToggle(const char *objectName, const QString &text, const QString &toolTip)
{
    auto *button = new QToolButton;
    button->setObjectName(QLatin1String(objectName));
    button->setText(text);
    button->setToolTip(toolTip);
    button->setCheckable(true);
    layout()->addWidget(button);
    return button;
}

void FindingsBar::apply()
{
    m_filter.setRules(rulesOf(m_rules->currentData().toInt()));
    m_filter.setShowsInformation(m_information->isChecked());
    m_filter.setShowsMuted(m_muted->isChecked());
    Q_EMIT changed();
}

}  // namespace ct
