// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/dialogs/rundialog.h"

#include "ui/dialogs/capturesection.h"
#include "ui/dialogs/launchpage.h"
#include "ui/dialogs/listenpage.h"
#include "ui/format/colors.h"
#include "ui/format/format.h"
#include "ui/format/icons.h"

#include <QDialogButtonBox>
#include <QLabel>
#include <QPushButton>
#include <QSettings>
#include <QTabWidget>
#include <QVBoxLayout>

namespace ct {

RunDialog::RunDialog(QWidget *parent)
    : QDialog(parent),
      m_tabs(new QTabWidget(this)),
      m_launch(new LaunchPage),
      m_listen(new ListenPage),
      m_capture(new CaptureSection(this)),
      m_error(new QLabel(this))
{
    setObjectName(QStringLiteral("runDialog"));
    setWindowTitle(tr("Run"));
    resize(620, 440);
    m_tabs->setObjectName(QStringLiteral("runTabs"));
    m_tabs->addTab(m_launch, icons::icon(QStringLiteral("run")), tr("&Launch"));
    m_tabs->addTab(m_listen, icons::icon(QStringLiteral("listen")), tr("L&isten"));
    m_error->setObjectName(QStringLiteral("runError"));
    m_error->setWordWrap(true);
    m_error->hide();
    auto *buttons = new QDialogButtonBox(QDialogButtonBox::Cancel, this);
    m_start = buttons->addButton(tr("Run"), QDialogButtonBox::AcceptRole);
    m_start->setObjectName(QStringLiteral("runStart"));
    m_start->setDefault(true);
    m_cancel = buttons->button(QDialogButtonBox::Cancel);
    m_cancel->setObjectName(QStringLiteral("runCancel"));
    auto *layout = new QVBoxLayout(this);
    layout->addWidget(m_tabs, 1);
    layout->addWidget(m_capture);
    layout->addWidget(m_error);
    layout->addWidget(buttons);
    connect(buttons, &QDialogButtonBox::accepted, this, &RunDialog::submit);
    connect(buttons, &QDialogButtonBox::rejected, this, &RunDialog::reject);
    connect(m_tabs, &QTabWidget::currentChanged, this, &RunDialog::applyTab);
    connect(m_capture, &CaptureSection::folded, this, [this](bool open) {
        const int height = m_capture->sizeHint().height();
        resize(width(), open ? std::max(this->height(), sizeHint().height() + height / 4) : this->height());
    });
}

void RunDialog::showLaunch()
{
    m_listening = false;
    m_listen->reset();
    QSettings settings;
    m_capture->setSettings(CaptureSettings::load(settings));
    const QList<RunFields> runs = recentRuns(settings);
    m_launch->setRecentRuns(runs);
    if (!runs.isEmpty() && m_launch->form() == RunFields())
        m_launch->setForm(runs.front());
    m_tabs->setCurrentWidget(m_launch);
    applyTab();
    open();
}

void RunDialog::showListening(const TracedEnvironment &environment)
{
    m_listening = true;
    m_listen->showInstructions(environment);
    m_tabs->setCurrentWidget(m_listen);
    applyTab();
    resize(size().expandedTo(QSize(760, 520)));
    open();
}

void RunDialog::showError(const QString &message)
{
    m_error->setText(
        QStringLiteral("<span style=\"color:%1\">%2</span>")
            .arg(colorsFor(palette()).warningText.name(), format::printableLines(message).toHtmlEscaped()));
    m_error->show();
}

void RunDialog::applyTab()
{
    m_error->hide();
    const bool listen = m_tabs->currentWidget() == m_listen;
    m_cancel->setVisible(!listen || !m_listening);
    m_capture->setVisible(!listen || !m_listening);
    m_start->setText(!listen ? tr("Run") : m_listening ? tr("Close") : tr("Create region and wait"));
}

void RunDialog::submit()
{
    m_error->hide();
    if (m_tabs->currentWidget() == m_listen) {
        if (m_listening) {
            accept();
            return;
        }
        StartRequest request;
        request.what = ListenRequest{};
        request.capture.stations = static_cast<std::uint32_t>(m_listen->stations());
        this->request(std::move(request));
        return;
    }
    const RunFields form = m_launch->form();
    Result<StartRequest> request = form.request();
    if (!request) {
        showError(QString::fromStdString(request.error().message));
        return;
    }
    QSettings settings;
    addRecentRun(settings, form);
    this->request(std::move(*request));
}

void RunDialog::request(StartRequest request)
{
    const CaptureSettings capture = m_capture->settings();
    QSettings settings;
    capture.save(settings);
    capture.applyTo(request);
    Q_EMIT startRequested(request);
}

}  // namespace ct
