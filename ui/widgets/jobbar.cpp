// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/jobbar.h"

#include "core/base/startthread.h"
#include "core/exporting/exporttrace.h"
#include "core/target/printabletext.h"
#include "ui/format/icons.h"
#include "ui/format/progressformat.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QProgressBar>
#include <QTimer>
#include <QToolButton>

namespace ct {

namespace {

constexpr int kWidestText = 260;  ///< pixels

}  // namespace

JobBar::JobBar(const QString &name, const QString &cancelText, QWidget *parent)
    : QWidget(parent),
      m_label(new QLabel(this)),
      m_rate(new QLabel(this)),
      m_progress(new QProgressBar(this)),
      m_timer(new QTimer(this))
{
    setObjectName(name + QStringLiteral("Bar"));
    m_progress->setRange(0, 1000);
    m_progress->setFixedWidth(140);
    m_progress->setAccessibleName(tr("Progress"));
    auto *cancelButton = new QToolButton(this);
    cancelButton->setObjectName(name + QStringLiteral("Cancel"));
    cancelButton->setIcon(icons::icon(QStringLiteral("close")));
    cancelButton->setAutoRaise(true);
    cancelButton->setToolTip(cancelText);
    cancelButton->setAccessibleName(cancelText);
    auto *layout = new QHBoxLayout(this);
    layout->setContentsMargins(6, 0, 6, 0);
    m_label->setTextFormat(Qt::PlainText);
    // The label keeps its width when the rate changes, so the cancel button stays where it is.
    m_label->setSizePolicy(QSizePolicy::Fixed, QSizePolicy::Preferred);
    layout->addWidget(m_label);
    layout->addWidget(m_progress);
    m_rate->setObjectName(name + QStringLiteral("Rate"));
    // In front of the rate, whose width changes.
    layout->addWidget(cancelButton);
    layout->addWidget(m_rate, 1);
    connect(cancelButton, &QToolButton::clicked, this, &JobBar::cancel);
    m_timer->setInterval(100);
    connect(m_timer, &QTimer::timeout, this, &JobBar::showProgress);
    hide();
}

void JobBar::start(std::unique_ptr<BackgroundJob> job, const QString &text, std::function<void()> done)
{
    m_job = std::move(job);
    m_done = std::move(done);
    m_text = printable(text);
    m_label->setText(m_label->fontMetrics().elidedText(m_text, Qt::ElideMiddle, kWidestText));
    m_label->setToolTip(m_text.toHtmlEscaped());
    m_progress->setMaximum(1000);
    m_progress->setValue(0);
    m_rate->clear();
    m_since.start();
    connect(m_job.get(), &QThread::finished, this, [this, started = m_job.get()] {
        if (m_job.get() == started)
            finish();
    });
    if (const Result<void> started = startQThread(*m_job, "to write " + m_job->path().toStdString()); !started) {
        giveUp();
        Q_EMIT failed(QString::fromStdString(started.error().message));
        return;
    }
    m_timer->start();
    show();
}

void JobBar::showProgress()
{
    if (!m_job)
        return;
    const double progress = m_job->progress();
    m_progress->setValue(static_cast<int>(progress * 1000));
    // The bar moves during a long end, whose progress is unknown.
    m_progress->setMaximum(progress >= kRowsWritten && !m_job->end().isEmpty() ? 0 : 1000);
    const double seconds = static_cast<double>(m_since.elapsed()) / 1000;
    m_rate->setText(format::jobRate(progress, seconds, m_job->rows(), m_job->end()));
}

void JobBar::cancel()
{
    if (m_job)
        m_job->cancel();
}

QString JobBar::text() const
{
    return m_text;
}

void JobBar::giveUp()
{
    m_job.reset();
    m_timer->stop();
    hide();
}

void JobBar::finish()
{
    const std::unique_ptr<BackgroundJob> job = std::move(m_job);
    m_timer->stop();
    hide();
    Q_EMIT ended();
    if (job->succeeded())
        m_done();
    else if (job->wasCancelled())
        Q_EMIT cancelled(job->errorMessage());
    else
        Q_EMIT failed(job->errorMessage());
}

}  // namespace ct
