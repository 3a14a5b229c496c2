// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// The facts about a run that are known so far. One thread adds facts while an output on another thread reads them.
#pragma once

#include "core/recording/format/recordinginfo.h"

#include <mutex>

namespace ct {

/// Any thread may call any member.
class LatestInfo {
public:
    RecordingInfo get() const
    {
        const std::lock_guard lock(m_mutex);
        return m_info;
    }
    void set(const RecordingInfo &info)
    {
        const std::lock_guard lock(m_mutex);
        m_info = info;
    }
    /// See RecordingInfo::mergeLater().
    void merge(const RecordingInfo &later)
    {
        const std::lock_guard lock(m_mutex);
        m_info.mergeLater(later);
    }

private:
    mutable std::mutex m_mutex;  ///< guards m_info; locked for one copy or one merge
    RecordingInfo m_info;
};

}  // namespace ct
