// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: MIT
//
// Reads recordings of coroutines (.ctr), C++20. An inline wrapper of the C interface with an owner, spans and
// string_views: no C++ type crosses the boundary of the library. capi.h documents the rows and what will not change.
//
//     corotracer::recording::reader reader("run.ctr");
//     while (const auto batch = reader.next())
//         for (const auto &event : batch.transitions())
//             ...
#pragma once

#include <corotracer/recording/capi.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace corotracer::recording {

using site = ctr_site;
using birth = ctr_birth;
using transition = ctr_transition;
using loss = ctr_loss;
using death = ctr_death;
using flag = ctr_flag;
using name = ctr_name;
using parent = ctr_parent;
using wait = ctr_wait;
using wake = ctr_wake;
using use = ctr_use;
using wakers_left_row = ctr_wakers_left;
using finish = ctr_finish;
using drop = ctr_drop;
using tracing_switch = ctr_switch;
using process = ctr_process;
using process_end = ctr_process_end;
using thread_name = ctr_thread_name;
using thread_sample = ctr_thread_sample;
using descriptor_sample = ctr_descriptor_sample;
using process_sample = ctr_process_sample;
using output = ctr_output;
using sums = ctr_sums;
using damage = ctr_damage;
using block = ctr_block;

inline constexpr std::uint32_t none = CTR_NONE;

inline std::string_view view(const ctr_text &text) noexcept
{
    return {text.data, text.size};
}

/// A part of the stream. Valid until the next call of reader::next().
class batch {
public:
    explicit batch(const ctr_batch *content) noexcept : m_content(content) {}
    /// False: the stream has ended, or cannot be read further.
    explicit operator bool() const noexcept { return m_content != nullptr; }

    std::uint64_t now() const noexcept { return m_content->now; }
    std::span<const site> sites() const noexcept { return {m_content->sites, m_content->site_count}; }
    std::span<const birth> births() const noexcept { return {m_content->births, m_content->birth_count}; }
    std::span<const loss> losses() const noexcept { return {m_content->losses, m_content->loss_count}; }
    std::span<const transition> transitions() const noexcept
    {
        return {m_content->transitions, m_content->transition_count};
    }
    std::span<const death> deaths() const noexcept { return {m_content->deaths, m_content->death_count}; }
    std::span<const flag> flags() const noexcept { return {m_content->flags, m_content->flag_count}; }
    std::span<const name> names() const noexcept { return {m_content->names, m_content->name_count}; }
    std::span<const parent> parents() const noexcept { return {m_content->parents, m_content->parent_count}; }
    std::span<const wait> waits() const noexcept { return {m_content->waits, m_content->wait_count}; }
    std::span<const wake> wakes() const noexcept { return {m_content->wakes, m_content->wake_count}; }
    std::span<const use> uses() const noexcept { return {m_content->uses, m_content->use_count}; }
    std::span<const wakers_left_row> wakers_left() const noexcept
    {
        return {m_content->wakers_left, m_content->wakers_left_count};
    }
    std::span<const finish> finishes() const noexcept { return {m_content->finishes, m_content->finish_count}; }
    std::span<const drop> drops() const noexcept { return {m_content->drops, m_content->drop_count}; }
    std::span<const tracing_switch> switches() const noexcept { return {m_content->switches, m_content->switch_count}; }
    std::span<const process> processes() const noexcept { return {m_content->processes, m_content->process_count}; }
    std::span<const process_end> process_ends() const noexcept
    {
        return {m_content->process_ends, m_content->process_end_count};
    }
    std::span<const thread_name> thread_names() const noexcept
    {
        return {m_content->thread_names, m_content->thread_name_count};
    }
    std::span<const thread_sample> thread_samples() const noexcept
    {
        return {m_content->thread_samples, m_content->thread_sample_count};
    }
    std::span<const descriptor_sample> descriptor_samples() const noexcept
    {
        return {m_content->descriptor_samples, m_content->descriptor_sample_count};
    }
    std::span<const process_sample> process_samples() const noexcept
    {
        return {m_content->process_samples, m_content->process_sample_count};
    }
    std::span<const output> outputs() const noexcept { return {m_content->outputs, m_content->output_count}; }

private:
    const ctr_batch *m_content;
};

/// Facts about the recording from the heads of its blocks. Valid as long as the reader.
class overview {
public:
    explicit overview(const ctr_overview *content) noexcept : m_content(content) {}
    /// False: there is no overview; reader::message() has the reason.
    explicit operator bool() const noexcept { return m_content != nullptr; }

    std::uint64_t first_ts() const noexcept { return m_content->first_ts; }
    std::uint64_t last_ts() const noexcept { return m_content->last_ts; }
    std::uint64_t transitions() const noexcept { return m_content->transitions; }
    std::uint64_t bytes() const noexcept { return m_content->bytes; }
    std::span<const ctr_text> files() const noexcept { return {m_content->files, m_content->file_count}; }
    std::span<const block> blocks() const noexcept { return {m_content->blocks, m_content->block_count}; }
    std::span<const damage> damages() const noexcept { return {m_content->damages, m_content->damage_count}; }
    const recording::sums *sums() const noexcept { return m_content->sums; }  ///< nullptr = the file has none
    std::string_view info() const noexcept { return m_content->info; }
    bool ended() const noexcept { return m_content->ended != 0; }

private:
    const ctr_overview *m_content;
};

enum class status { good = CTR_GOOD, damaged = CTR_DAMAGED, failed = CTR_FAILED };

/// Owns a reader of the library. A moved-from object may only be destroyed or assigned to.
class reader {
public:
    explicit reader(const char *path) noexcept : m_reader(ctr_open(path)) {}
    explicit reader(const std::string &path) noexcept : reader(path.c_str()) {}

    recording::status status() const noexcept
    {
        return m_reader ? static_cast<recording::status>(ctr_status(m_reader.get())) : recording::status::failed;
    }
    std::string_view message() const noexcept { return m_reader ? ctr_message(m_reader.get()) : "out of memory"; }

    recording::batch next() noexcept { return recording::batch(m_reader ? ctr_next(m_reader.get()) : nullptr); }
    /// Joins passes until they have `rows` rows of all sorts together, or end.
    recording::batch next(std::size_t rows) noexcept
    {
        return recording::batch(m_reader ? ctr_next_rows(m_reader.get(), rows) : nullptr);
    }
    double progress() const noexcept { return m_reader ? ctr_progress(m_reader.get()) : 1; }
    recording::sums sums() noexcept { return m_reader ? *ctr_sums_of(m_reader.get()) : recording::sums{}; }
    std::string_view info() noexcept { return m_reader ? ctr_info(m_reader.get()) : "{}"; }
    std::span<const damage> damages() noexcept
    {
        const damage *all = nullptr;
        const std::size_t count = m_reader ? ctr_damages(m_reader.get(), &all) : 0;
        return {all, count};
    }
    bool ended() const noexcept { return m_reader && ctr_ended(m_reader.get()) != 0; }

    recording::overview overview() noexcept
    {
        return recording::overview(m_reader ? ctr_overview_of(m_reader.get()) : nullptr);
    }
    /// Returns the number of transitions in each of `columns` equal parts of [from, to), estimated from the heads of
    /// the blocks. Empty without an overview.
    std::vector<double> over_time(std::uint64_t from, std::uint64_t to, std::size_t columns)
    {
        std::vector<double> transitions(columns);
        if (!m_reader || !ctr_over_time(m_reader.get(), from, to, transitions.data(), columns))
            transitions.clear();
        return transitions;
    }

private:
    struct close {
        void operator()(ctr_reader *open) const noexcept { ctr_close(open); }
    };
    std::unique_ptr<ctr_reader, close> m_reader;
};

}  // namespace corotracer::recording
