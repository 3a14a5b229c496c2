// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/dialogs/messageboxes.h"

#include "core/target/printabletext.h"
#include "ui/format/colors.h"
#include "ui/format/format.h"
#include "ui/format/icons.h"

#include <QCoreApplication>
#include <QMessageBox>
#include <QPushButton>

#include <utility>

namespace ct {

namespace {

struct BoxText {
    Q_DECLARE_TR_FUNCTIONS(BoxText)
};

QPixmap warningSign(QColor color)
{
    return icons::icon(QStringLiteral("warning"), color).pixmap(QSize(40, 40));
}

QMessageBox *makeQuestion(QWidget *parent, const char *objectName, const QString &title, const QString &text,
                          const QString &question)
{
    auto *box = new QMessageBox(QMessageBox::Question, title, text, QMessageBox::NoButton, parent);
    box->setObjectName(QLatin1String(objectName));
    box->setTextFormat(Qt::PlainText);
    box->setAttribute(Qt::WA_DeleteOnClose);
    box->setInformativeText(question);
    box->setIconPixmap(warningSign(colorsFor(parent->palette()).accent));
    return box;
}

QPushButton *addButton(QMessageBox &box, const QString &text, QMessageBox::ButtonRole role, const char *objectName)
{
    QPushButton *button = box.addButton(text, role);
    button->setObjectName(QLatin1String(objectName));
    return button;
}

QPushButton *addCancelButton(QMessageBox &box)
{
    QPushButton *button = box.addButton(QMessageBox::Cancel);
    button->setObjectName(QStringLiteral("cancelButton"));
    return button;
}

}  // namespace

void showAbout(QWidget *parent)
{
    auto *box =
        new QMessageBox(QMessageBox::NoIcon, BoxText::tr("About corotracer-gui"),
                        BoxText::tr("<h3>corotracer-gui %1</h3><p>Live coroutine inspection over cTP shared memory.</p>"
                                    "<p>Free software under the GNU General Public License, version 3 or later. "
                                    "The probe is under the MIT licence.</p>")
                            .arg(QCoreApplication::applicationVersion()),
                        QMessageBox::Close, parent);
    box->setIconPixmap(parent->windowIcon().pixmap(64, 64));
    box->setAttribute(Qt::WA_DeleteOnClose);
    box->open();
}

void showErrorBox(QWidget *parent, const QString &title, const QString &message)
{
    auto *box = new QMessageBox(QMessageBox::Warning, title, title, QMessageBox::Ok, parent);
    box->setObjectName(QStringLiteral("errorBox"));
    box->setInformativeText(format::verbatim(format::printableLines(message)));
    box->setIconPixmap(warningSign(colorsFor(parent->palette()).warningText));
    box->setAttribute(Qt::WA_DeleteOnClose);
    box->open();
}

QMessageBox *askAboutTarget(QWidget *parent, const QString &name, const QString &question, std::function<void()> leave,
                            std::function<void()> terminate)
{
    QMessageBox *box = makeQuestion(parent, "runningTargetBox", BoxText::tr("The target is running"),
                                    BoxText::tr("%1 is still running.").arg(printable(name)), question);
    QPushButton *leaveButton =
        addButton(*box, BoxText::tr("&Leave running"), QMessageBox::AcceptRole, "leaveRunningButton");
    QPushButton *terminateButton =
        addButton(*box, BoxText::tr("&Terminate"), QMessageBox::DestructiveRole, "terminateButton");
    addCancelButton(*box);
    box->setDefaultButton(leaveButton);
    QObject::connect(box, &QMessageBox::buttonClicked, parent,
                     [leaveButton, terminateButton, leave = std::move(leave),
                      terminate = std::move(terminate)](QAbstractButton *button) {
                         if (button == leaveButton)
                             leave();
                         else if (button == terminateButton)
                             terminate();
                     });
    box->open();
    return box;
}

QMessageBox *makeJobQuestion(QWidget *parent, std::function<void()> close)
{
    QMessageBox *box = makeQuestion(parent, "runningJobBox", {}, {}, {});
    QPushButton *closeButton =
        addButton(*box, BoxText::tr("&Close anyway"), QMessageBox::DestructiveRole, "closeButton");
    box->setDefaultButton(addCancelButton(*box));
    QObject::connect(box, &QMessageBox::buttonClicked, parent,
                     [closeButton, close = std::move(close)](QAbstractButton *button) {
                         if (button == closeButton)
                             close();
                     });
    return box;
}

}  // namespace ct
