// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/docks/findingcard.h"

#include "core/target/printabletext.h"
#include "ui/format/findingsformat.h"
#include "ui/format/format.h"
#include "ui/widgets/waithistogram.h"

#include <QEvent>
#include <QHBoxLayout>
#include <QLabel>
#include <QScrollBar>
#include <QTextBrowser>
#include <QToolButton>
#include <QUrl>
#include <QVBoxLayout>

#include <utility>

namespace ct {

FindingCard::FindingCard(QWidget *parent)
    : QWidget(parent),
      m_title(new QLabel),
      m_rule(new QLabel),
      m_histogram(new WaitHistogram),
      m_evidence(new QTextBrowser),
      m_buttons(new QWidget)
{
    setObjectName(QStringLiteral("findingCard"));
    m_title->setObjectName(QStringLiteral("findingTitle"));
    m_title->setWordWrap(true);
    m_title->setTextFormat(Qt::PlainText);
    m_title->setTextInteractionFlags(Qt::TextSelectableByMouse);
    m_title->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Minimum);
    QFont bold = font();
    bold.setBold(true);
    m_title->setFont(bold);
    m_rule->setObjectName(QStringLiteral("findingRule"));
    m_rule->setForegroundRole(QPalette::PlaceholderText);
    m_rule->setWordWrap(true);
    m_evidence->setObjectName(QStringLiteral("findingEvidence"));
    m_evidence->setAccessibleName(tr("Evidence"));
    m_evidence->setFrameShape(QFrame::NoFrame);
    m_evidence->setOpenLinks(false);
    m_evidence->document()->setDocumentMargin(8);
    m_evidence->setWordWrapMode(QTextOption::WrapAtWordBoundaryOrAnywhere);

    auto *buttons = new QHBoxLayout(m_buttons);
    buttons->setContentsMargins(0, 0, 0, 0);
    buttons->setSpacing(4);
    m_timeline = addButton("findingTimeline", tr("Timeline"), tr("Shows this suspension in the timeline"),
                           &FindingCard::timelineRequested);
    m_table = addButton("findingTable", tr("Table"), tr("Shows only the coroutines of this site in the table"),
                        &FindingCard::tableRequested);
    m_source = addButton("findingSource", tr("Source"), {}, &FindingCard::sourceRequested);
    m_mute = addButton("findingMute", tr("Mute…"), {}, &FindingCard::muteRequested);
    buttons->addStretch(1);

    auto *layout = new QVBoxLayout(this);
    layout->setContentsMargins(8, 6, 0, 0);
    layout->setSpacing(4);
    layout->addWidget(m_title);
    layout->addWidget(m_rule);
    layout->addWidget(m_buttons);
    layout->addWidget(m_histogram);
    layout->addWidget(m_evidence, 1);
    connect(m_evidence, &QTextBrowser::anchorClicked, this, [this](const QUrl &link) {
        if (link.scheme() == QLatin1String("coroutine"))
            Q_EMIT coroutineActivated(link.path().toUInt());
    });
    clear();
}

QToolButton *FindingCard::addButton(const char *objectName, const QString &text, const QString &toolTip,
                                    void (FindingCard::*signal)())
{
    auto *button = new QToolButton;
    button->setObjectName(QLatin1String(objectName));
    button->setText(text);
    button->setToolTip(toolTip);
    connect(button, &QToolButton::clicked, this, signal);
    m_buttons->layout()->addWidget(button);
    return button;
}

void FindingCard::clear()
{
    m_title->setText(tr("Select a finding to see its evidence"));
    for (QWidget *part : {static_cast<QWidget *>(m_rule), m_buttons, static_cast<QWidget *>(m_histogram)})
        part->hide();
    m_html.clear();
    m_evidence->clear();
}

void FindingCard::show(const FindingSubject &subject, const ReportedFinding &reported, CoroutineId coroutine,
                       const Circumstances *found, const std::optional<QString> &muteReason)
{
    const Finding &finding = reported.finding;
    m_title->setText(format::findingSentence(subject, reported));
    QString rule = tr("%1, %2, %3 sure")
                       .arg(format::ruleName(finding.rule), format::severityName(finding.severity).toLower(),
                            QString::fromStdString(confidenceText(finding.confidence)));
    if (!reported.process.empty())
        rule += tr(", process %1").arg(printable(QString::fromStdString(reported.process)));
    m_rule->setText(muteReason ? tr("%1. Muted: %2").arg(rule, *muteReason) : rule);
    m_rule->setTextFormat(Qt::PlainText);
    m_rule->show();
    m_buttons->show();
    m_timeline->setEnabled(coroutine != kNoCoroutine);
    m_table->setEnabled(!reported.file.empty() || !reported.function.empty());
    m_source->setEnabled(!reported.file.empty());
    m_source->setToolTip(reported.file.empty() ? tr("The source of this site is not known")
                                               : tr("Opens %1").arg(QString::fromStdString(reported.file)));
    m_mute->setText(muteReason ? tr("Unmute") : tr("Mute…"));
    m_mute->setToolTip(muteReason ? tr("Shows the findings of this rule and site again")
                                  : tr("Hides the findings of this rule and site, also in later runs of this program"));
    const bool isWait =
        coroutine != kNoCoroutine && finding.rule != Rule::LongRun && finding.rule != Rule::BlockingCall;
    m_histogram->setVisible(isWait);
    if (isWait) {
        const std::uint64_t since = found ? found->coroutine.since : finding.since;
        m_histogram->show(subject.population.siteStatistics(finding.site),
                          subject.judgedAt - std::min(subject.judgedAt, since));
    }
    const QString html = format::findingEvidence(subject, reported, coroutine, found);
    if (std::exchange(m_html, html) == html)
        return;
    const int scrolled = m_evidence->verticalScrollBar()->value();
    m_evidence->setHtml(html);
    m_evidence->verticalScrollBar()->setValue(scrolled);
}

QString FindingCard::text() const
{
    return m_title->text() + u'\n' + m_rule->text() + u'\n' + m_evidence->toPlainText();
}

void FindingCard::changeEvent(QEvent *event)
{
    QWidget::changeEvent(event);
    if (event->type() == QEvent::PaletteChange && !m_html.isEmpty())
        m_evidence->setHtml(m_html);  // the colour of links depends on the palette
}

}  // namespace ct
