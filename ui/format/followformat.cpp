// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/format/followformat.h"

#include "ui/format/format.h"

#include <QCoreApplication>

#include <algorithm>

namespace ct::format {

namespace {

/// From this silence on, the text reports it. A live recorder writes twice a second.
constexpr std::uint64_t kSilenceNs = 3'000'000'000;
constexpr std::uint64_t kAlertNs = 10'000'000'000;
/// A shorter delay counts as up to date: it is normal between two reads.
constexpr std::uint64_t kBehindNs = 1'000'000'000;

/// From this share of the memory for events that wait, losses are near.
constexpr double kNearlyFull = 0.75;

QString tr(const char *text)
{
    return QCoreApplication::translate("FollowFormat", text);
}

QString interrupted(const FollowEnd &end)
{
    const QString who = !end.isInput ? tr("The program that wrote this recording ended without completing it.")
                                     : tr("The stream broke off: its sender ended, or the "
                                          "connection failed.");
    return who + u' ' +
           (end.damaged ? tr("The rest cannot be shown. Start the sender again to see more.")
                        : tr("Everything up to the last whole block is shown. Start the "
                             "sender again to see more."));
}

}  // namespace

Behind behind(const FileGrowth::Figures &figures, std::uint64_t shown, std::uint64_t now)
{
    const std::uint64_t silence = now > figures.grewAt ? now - figures.grewAt : 0;
    if (figures.grewAt == 0)
        return {};
    if (figures.waiting && silence >= kSilenceNs)
        return {tr("nothing received for %1\u00a0s").arg(silence / 1'000'000'000), silence >= kAlertNs};
    const std::uint64_t late = shown != 0 && figures.latestTs > shown ? figures.latestTs - shown : 0;
    const std::uint64_t unread = figures.bytes > figures.read ? figures.bytes - figures.read : 0;
    if (figures.waiting || (late < kBehindNs && unread < (1U << 20)))
        return {tr("up to date"), false};
    return {tr("%1 and %2 behind").arg(bytes(unread), duration(late)), false};
}

Behind behind(const RunLag &lag)
{
    if (lag.behindNs < kBehindNs)
        return {};
    return {tr("%1 behind the target").arg(duration(lag.behindNs)), lag.memoryFill >= kNearlyFull};
}

QString followEnd(const FollowEnd &end)
{
    using End = InputSpool::End;
    const QString kept = tr("Saved as %1.").arg(end.path);
    const QString shown = tr("The events received before are shown.");
    if (end.input == End::NoRecording)
        return end.inputMessage;
    if (end.input == End::Failed)
        return end.inputMessage + tr(".") + u' ' + shown + u' ' + kept;
    QString text;
    if (end.inOrder)
        text = !end.isInput ? tr("The recording was completed.") : tr("The stream has ended in order.");
    else if (end.stopped)
        text = !end.isInput ? tr("Following was stopped. Open the recording again to see "
                                 "more.")
                            : tr("Reading from standard input was stopped.") + u' ' + shown;
    else
        text = interrupted(end);
    if ((end.inOrder || end.damaged) && !end.error.isEmpty())
        text += u' ' + end.error + tr(".");
    return text + u' ' + kept;
}

QString cutShort(const QString &path, std::uint64_t shown, std::uint64_t all)
{
    const QString text = (shown == 1 ? tr("%1 is shown") : tr("%1 are shown"))
                             .arg(all > shown ? tr("%1 of %2").arg(count(shown), events(all)) : events(shown));
    return tr("Loading was stopped: %1. Open %2 again to see the rest.").arg(text, path);
}

}  // namespace ct::format
