// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/dialogs/selectionfields.h"

#include "ui/format/format.h"

#include <QCheckBox>
#include <QDoubleSpinBox>
#include <QHBoxLayout>
#include <QLabel>
#include <QRadioButton>
#include <QToolButton>
#include <QVBoxLayout>

#include <algorithm>
#include <cmath>
#include <utility>

namespace ct {

namespace {

constexpr double kNsPerSecond = 1e9;
constexpr int kDigits = 6;

}  // namespace

SelectionFields::SelectionFields(ExportChoices choices, QWidget *parent)
    : QGroupBox(tr("Selection"), parent), m_choices(std::move(choices))
{
    setObjectName(QStringLiteral("selectionFields"));
    new QVBoxLayout(this);
    addCoroutines();
    addTimes();
}

QRadioButton *SelectionFields::makeButton(const char *name, const QString &text, bool isPossible, const QString &whyNot)
{
    auto *button = new QRadioButton(text, this);
    button->setObjectName(QLatin1String(name));
    button->setEnabled(isPossible);
    button->setToolTip(isPossible ? QString() : whyNot);
    connect(button, &QRadioButton::toggled, this, &SelectionFields::changed);
    layout()->addWidget(button);
    return button;
}

void SelectionFields::addCoroutines()
{
    QRadioButton *everything = makeButton("selectAll", tr("&All coroutines"), true, {});
    everything->setChecked(true);
    const bool isFiltered = m_choices.hasFilter && !m_choices.filtered.empty();
    m_filtered = makeButton(
        "selectFiltered",
        isFiltered
            ? tr("Coroutines that pass the &filter of the table (%1)").arg(format::count(m_choices.filtered.size()))
            : tr("Coroutines that pass the &filter of the table"),
        isFiltered,
        m_choices.hasFilter ? tr("No coroutine passes the filter.") : tr("The table shows all coroutines."));
    m_selected = makeButton(
        "selectChosen",
        m_choices.selected.empty()
            ? tr("Coroutines &selected in the table")
            : tr("Coroutines &selected in the table (%1)").arg(format::count(m_choices.selected.size())),
        !m_choices.selected.empty(), tr("Select rows in the table first. Hold Ctrl or Shift to select several."));
}

void SelectionFields::addTimes()
{
    auto *row = new QHBoxLayout;
    m_hasTimes = new QCheckBox(tr("O&nly from"), this);
    m_hasTimes->setObjectName(QStringLiteral("selectTimes"));
    m_hasTimes->setToolTip(tr("Times count from the start of the run. The end is exclusive."));
    m_from = makeTime("selectFrom", tr("From"), 0);
    m_to = makeTime("selectTo", tr("To"), secondsOf(static_cast<std::int64_t>(m_choices.end)));
    m_visible = new QToolButton(this);
    m_visible->setObjectName(QStringLiteral("selectVisible"));
    m_visible->setText(tr("&Visible range"));
    m_visible->setToolTip(tr("Use the time range that the timeline shows"));
    m_visible->setFocusPolicy(Qt::StrongFocus);
    m_visible->setEnabled(m_choices.visibleTo > m_choices.visibleFrom);
    row->addWidget(m_hasTimes);
    row->addWidget(m_from);
    row->addWidget(new QLabel(tr("to"), this));
    row->addWidget(m_to);
    row->addWidget(m_visible);
    row->addStretch();
    static_cast<QVBoxLayout *>(layout())->addLayout(row);
    const auto apply = [this] {
        m_from->setEnabled(m_hasTimes->isChecked());
        m_to->setEnabled(m_hasTimes->isChecked());
        Q_EMIT changed();
    };
    connect(m_hasTimes, &QCheckBox::toggled, this, apply);
    connect(m_visible, &QToolButton::clicked, this,
            [this] { setTimes(secondsOf(m_choices.visibleFrom), secondsOf(m_choices.visibleTo)); });
    apply();
}

QDoubleSpinBox *SelectionFields::makeTime(const char *name, const QString &accessibleName, double seconds)
{
    auto *box = new QDoubleSpinBox(this);
    box->setObjectName(QLatin1String(name));
    box->setAccessibleName(accessibleName);
    box->setDecimals(kDigits);
    box->setSuffix(tr(" s"));
    // Rounded up, so that the last event of the trace is before the end.
    box->setRange(0, secondsOf(static_cast<std::int64_t>(m_choices.end)) + std::pow(10, -kDigits));
    box->setValue(seconds == 0 ? 0 : seconds + std::pow(10, -kDigits));
    connect(box, &QDoubleSpinBox::valueChanged, this, &SelectionFields::changed);
    return box;
}

SelectionInput SelectionFields::input() const
{
    return {m_filtered->isChecked(), m_selected->isChecked(), m_hasTimes->isChecked(), m_from->value(), m_to->value()};
}

void SelectionFields::setInput(const SelectionInput &input)
{
    if (input.isFiltered && m_filtered->isEnabled())
        m_filtered->setChecked(true);
    if (input.isChosen && m_selected->isEnabled())
        m_selected->setChecked(true);
    if (input.hasTimes)
        setTimes(input.from, input.to);
}

void SelectionFields::setEnd(std::uint64_t end)
{
    m_choices.end = end;
    const bool isUpToEnd = m_to->value() == m_to->maximum();
    for (QDoubleSpinBox *box : {m_from, m_to})
        box->setMaximum(secondsOf(static_cast<std::int64_t>(end)) + std::pow(10, -kDigits));
    if (isUpToEnd)
        m_to->setValue(m_to->maximum());
}

void SelectionFields::setTimes(double from, double to)
{
    m_hasTimes->setChecked(true);
    m_from->setValue(from);
    m_to->setValue(to);
}

double SelectionFields::secondsOf(std::int64_t ts) const
{
    return std::max(0.0, static_cast<double>(ts - static_cast<std::int64_t>(m_choices.origin)) / kNsPerSecond);
}

std::uint64_t SelectionFields::timeOf(double seconds) const
{
    return m_choices.origin + static_cast<std::uint64_t>(std::llround(seconds * kNsPerSecond));
}

TraceSelection SelectionFields::selection() const
{
    TraceSelection selection;
    if (m_filtered->isChecked())
        selection.coroutines = m_choices.filtered;
    if (m_selected->isChecked())
        selection.coroutines = m_choices.selected;
    if (m_hasTimes->isChecked()) {
        selection.from = timeOf(m_from->value());
        selection.to = timeOf(m_to->value());
    }
    return selection;
}

QString SelectionFields::problem() const
{
    return m_hasTimes->isChecked() && m_to->value() <= m_from->value()
               ? tr("The time range is empty. Choose an end that is later than the start.")
               : QString();
}

}  // namespace ct
