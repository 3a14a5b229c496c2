// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// The names and parents of coroutines, for the writers of text files.
#pragma once

#include "core/stream/stream.h"

#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace ct {

class NamesAndParents {
public:
    /// `format`: returns a name as it is written into the file; called once per different name.
    explicit NamesAndParents(std::string (*format)(const std::string &name)) : m_format(format)
    {
        m_texts.emplace_back();
    }

    /// Adds the names and parents of a batch. Call it before writing the batch's transitions.
    void addNotes(const Notes &notes)
    {
        for (const CoroutineName &name : notes.names) {
            if (Entry *entry = make(name.coroutine))
                *entry = {indexOf(name.name), entry->parent, true};
        }
        for (const Parent &parent : notes.parents) {
            if (Entry *entry = make(parent.coroutine))
                *entry = {entry->name, parent.parent, true};
        }
    }

    struct View {
        std::string_view name;              ///< in the form of `format`; empty = unknown
        CoroutineId parent = kNoCoroutine;  ///< kNoCoroutine = unknown
    };
    View of(CoroutineId id) const
    {
        const Entry &entry = id < m_entries.size() ? m_entries[id] : m_unnamed;
        return {m_texts[entry.name], entry.parent};
    }
    /// Returns whether a name or parent of the coroutine came since the last call.
    bool consumeNews(CoroutineId id)
    {
        if (id >= m_entries.size() || !m_entries[id].isNew)
            return false;
        m_entries[id].isNew = false;
        return true;
    }

private:
    struct Entry {
        std::uint32_t name = 0;
        CoroutineId parent = kNoCoroutine;
        bool isNew = false;
    };

    Entry *make(CoroutineId id)
    {
        if (id == kNoCoroutine)
            return nullptr;
        if (id >= m_entries.size())
            m_entries.resize(static_cast<std::size_t>(id) + 1);
        return &m_entries[id];
    }
    std::uint32_t indexOf(const std::string &name)
    {
        const auto [known, isNew] = m_indexOf.try_emplace(name, static_cast<std::uint32_t>(m_texts.size()));
        if (isNew)
            m_texts.push_back(m_format(name));
        return known->second;
    }

    std::string (*m_format)(const std::string &);
    std::vector<Entry> m_entries;
    const Entry m_unnamed;                                     ///< entry for coroutines without name and parent
    std::vector<std::string> m_texts;                          ///< formatted names; [0] is empty
    std::unordered_map<std::string, std::uint32_t> m_indexOf;  ///< index in m_texts, by name
};

}  // namespace ct
