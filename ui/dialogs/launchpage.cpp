// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/dialogs/launchpage.h"

#include "ui/format/icons.h"

#include <QCheckBox>
#include <QComboBox>
#include <QFileDialog>
#include <QFormLayout>
#include <QHeaderView>
#include <QLabel>
#include <QLineEdit>
#include <QSpinBox>
#include <QTableWidget>
#include <QToolButton>
#include <QVBoxLayout>

namespace ct {

namespace {

constexpr int kMostStations = corotracer::kMostStations;

QToolButton *makeButton(const QString &icon, const QString &toolTip, const QString &name, QWidget *parent)
{
    auto *button = new QToolButton(parent);
    button->setIcon(icons::icon(icon));
    button->setToolTip(toolTip);
    button->setAccessibleName(toolTip);
    button->setObjectName(name);
    return button;
}

}  // namespace

QSpinBox *makeStationsBox(QWidget *parent)
{
    auto *box = new QSpinBox(parent);
    box->setRange(1, kMostStations);
    box->setValue(kMostStations);
    box->setGroupSeparatorShown(true);
    box->setToolTip(QCoreApplication::translate(
        "LaunchPage", "How many coroutines can be alive at a time; with older probes, how many the whole "
                      "run can have. Memory is allocated only as coroutines are born."));
    return box;
}

LaunchPage::LaunchPage(QWidget *parent)
    : QWidget(parent),
      m_recent(new QComboBox(this)),
      m_shell(new QCheckBox(tr("Run as a &shell line (pipes, variables, &&&& …)"), this)),
      m_commandLabel(new QLabel(this)),
      m_command(new QLineEdit(this)),
      m_arguments(new QLineEdit(this)),
      m_directory(new QLineEdit(this)),
      m_environment(new QTableWidget(0, 2, this)),
      m_stations(makeStationsBox(this)),
      m_form(new QFormLayout(this))
{
    m_recent->setObjectName(QStringLiteral("runRecent"));
    m_shell->setObjectName(QStringLiteral("runShell"));
    m_command->setObjectName(QStringLiteral("runCommand"));
    m_arguments->setObjectName(QStringLiteral("runArguments"));
    m_directory->setObjectName(QStringLiteral("runDirectory"));
    m_stations->setObjectName(QStringLiteral("runStations"));
    m_arguments->setPlaceholderText(tr("--port 8080 \"two words\""));
    m_directory->setPlaceholderText(tr("the current directory"));
    m_recent->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
    m_commandLabel->setBuddy(m_command);
    m_form->setFieldGrowthPolicy(QFormLayout::AllNonFixedFieldsGrow);
    m_form->addRow(tr("&Recent"), m_recent);
    m_form->addRow(m_commandLabel, makeProgramRow());
    m_form->addRow(QString(), m_shell);
    m_form->addRow(tr("&Arguments"), m_arguments);
    m_form->addRow(tr("Working &directory"), makeDirectoryRow());
    m_form->addRow(tr("&Environment"), makeEnvironment());
    m_form->addRow(tr("S&tations"), m_stations);
    connect(m_shell, &QCheckBox::toggled, this, &LaunchPage::applyShell);
    connect(m_recent, &QComboBox::activated, this, [this](int index) {
        if (index > 0 && index <= m_runs.size())
            setForm(m_runs[index - 1]);
    });
    setRecentRuns({});
    applyShell();
}

QWidget *LaunchPage::makeProgramRow()
{
    auto *row = new QWidget(this);
    auto *layout = new QHBoxLayout(row);
    layout->setContentsMargins(0, 0, 0, 0);
    auto *browseButton =
        makeButton(QStringLiteral("open"), tr("Choose a program"), QStringLiteral("runBrowseCommand"), row);
    layout->addWidget(m_command);
    layout->addWidget(browseButton);
    connect(browseButton, &QToolButton::clicked, this, [this] { browse(m_command, false); });
    return row;
}

QWidget *LaunchPage::makeDirectoryRow()
{
    auto *row = new QWidget(this);
    auto *layout = new QHBoxLayout(row);
    layout->setContentsMargins(0, 0, 0, 0);
    auto *browseButton =
        makeButton(QStringLiteral("open"), tr("Choose a directory"), QStringLiteral("runBrowseDirectory"), row);
    layout->addWidget(m_directory);
    layout->addWidget(browseButton);
    connect(browseButton, &QToolButton::clicked, this, [this] { browse(m_directory, true); });
    return row;
}

QWidget *LaunchPage::makeEnvironment()
{
    m_environment->setObjectName(QStringLiteral("runEnvironment"));
    m_environment->setAccessibleName(tr("Environment changes"));
    m_environment->setHorizontalHeaderLabels({tr("Variable"), tr("Value")});
    m_environment->setToolTip(tr("Checked variables are set, unchecked variables are removed "
                                 "from the environment."));
    m_environment->verticalHeader()->hide();
    m_environment->horizontalHeader()->setStretchLastSection(true);
    m_environment->horizontalHeader()->resizeSection(0, 170);
    m_environment->setSelectionBehavior(QAbstractItemView::SelectRows);
    m_environment->setMinimumHeight(90);
    auto *row = new QWidget(this);
    auto *layout = new QHBoxLayout(row);
    layout->setContentsMargins(0, 0, 0, 0);
    auto *buttons = new QVBoxLayout;
    auto *add = makeButton(QStringLiteral("add"), tr("Add a variable"), QStringLiteral("runAddVariable"), row);
    auto *remove =
        makeButton(QStringLiteral("remove"), tr("Remove this variable"), QStringLiteral("runRemoveVariable"), row);
    buttons->addWidget(add);
    buttons->addWidget(remove);
    buttons->addStretch();
    layout->addWidget(m_environment);
    layout->addLayout(buttons);
    connect(add, &QToolButton::clicked, this, [this] {
        addVariable({});
        m_environment->editItem(m_environment->item(m_environment->rowCount() - 1, 0));
    });
    connect(remove, &QToolButton::clicked, this, [this] {
        if (m_environment->currentRow() >= 0)
            m_environment->removeRow(m_environment->currentRow());
    });
    return row;
}

void LaunchPage::addVariable(const RunFields::Variable &variable)
{
    const int row = m_environment->rowCount();
    m_environment->insertRow(row);
    auto *name = new QTableWidgetItem(variable.name);
    name->setFlags(name->flags() | Qt::ItemIsUserCheckable);
    name->setCheckState(variable.removed ? Qt::Unchecked : Qt::Checked);
    m_environment->setItem(row, 0, name);
    m_environment->setItem(row, 1, new QTableWidgetItem(variable.value));
}

void LaunchPage::browse(QLineEdit *target, bool directory)
{
    auto *dialog = new QFileDialog(this, directory ? tr("Working directory") : tr("Program"), target->text());
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setFileMode(directory ? QFileDialog::Directory : QFileDialog::ExistingFile);
    connect(dialog, &QFileDialog::fileSelected, target, &QLineEdit::setText);
    dialog->open();
}

void LaunchPage::applyShell()
{
    const bool shell = m_shell->isChecked();
    m_commandLabel->setText(shell ? tr("S&hell line") : tr("&Program"));
    m_command->setPlaceholderText(shell ? tr("./server --port 8080 2>&1 | tee log") : tr("./server"));
    m_command->setAccessibleName(shell ? tr("Shell line") : tr("Program"));
    m_arguments->setEnabled(!shell);
}

void LaunchPage::setRecentRuns(const QList<RunFields> &runs)
{
    m_runs = runs;
    m_recent->clear();
    m_recent->addItem(runs.isEmpty() ? tr("No runs yet") : tr("Choose a recent run…"));
    for (const RunFields &run : runs)
        m_recent->addItem(run.title());
    m_recent->setEnabled(!runs.isEmpty());
}

RunFields LaunchPage::form() const
{
    RunFields form;
    form.shell = m_shell->isChecked();
    form.command = m_command->text();
    form.arguments = form.shell ? QString() : m_arguments->text();
    form.directory = m_directory->text().trimmed();
    form.stations = m_stations->value();
    for (int row = 0; row < m_environment->rowCount(); ++row) {
        const QTableWidgetItem *name = m_environment->item(row, 0);
        const QTableWidgetItem *value = m_environment->item(row, 1);
        if (name && !name->text().trimmed().isEmpty())
            form.environment.append(
                {name->text().trimmed(), value ? value->text() : QString(), name->checkState() == Qt::Unchecked});
    }
    return form;
}

void LaunchPage::setForm(const RunFields &form)
{
    m_shell->setChecked(form.shell);
    m_command->setText(form.command);
    m_arguments->setText(form.arguments);
    m_directory->setText(form.directory);
    m_stations->setValue(form.stations);
    m_environment->setRowCount(0);
    for (const RunFields::Variable &variable : form.environment)
        addVariable(variable);
}

}  // namespace ct
