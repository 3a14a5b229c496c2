// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// The region as a program sees it that speaks the protocol without the probe: three environment variables, one
// mapping, one socket. Layout from corotracer/layout.h, behaviour each writer's own.
#pragma once

#include "corotracer/layout.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

namespace targets {

/// How a program computes the size of its mapping, 1024 + n * 1024 bytes.
enum class SizeIn {
    Int,    ///< the C++ SDK: atoi, and 32-bit arithmetic that 2,097,151 stations overflow
    Usize,  ///< the Rust SDK
};

class RawRegion {
public:
    /// Maps what CTP_SHM_PATH, CTP_SOCK_PATH and CTP_MAX_STATIONS name; empty when one of the three is missing or the
    /// mapping fails (said on stderr): the program then runs untraced, as every target must.
    [[nodiscard]] static std::optional<RawRegion> fromEnvironment(bool connectSocket,
                                                                  SizeIn arithmetic = SizeIn::Usize);

    RawRegion(RawRegion &&other) noexcept;
    RawRegion &operator=(RawRegion &&) = delete;
    ~RawRegion();

    [[nodiscard]] corotracer::GlobalHeader &header() const;
    [[nodiscard]] corotracer::StationData *stations() const;
    [[nodiscard]] std::byte *bytes() const { return m_bytes; }
    [[nodiscard]] std::size_t size() const { return m_size; }
    [[nodiscard]] const std::string &path() const { return m_path; }

    /// The next free station, or nullptr when all are taken; the count grows either way, as version 1 has it.
    [[nodiscard]] corotracer::StationData *allocate() const;

    /// After a publishing store that was seq_cst: wakes a sleeping engine, once.
    void wakeEngine() const;

private:
    RawRegion() = default;

    std::byte *m_bytes = nullptr;
    std::size_t m_size = 0;
    int m_socket = -1;
    std::string m_path;
};

/// CLOCK_MONOTONIC in nanoseconds, by the system call wrapper, as version-1 writers read it.
[[nodiscard]] std::uint64_t monotonicNs();
/// OS thread id, by system call each time, as version-1 writers read it.
[[nodiscard]] std::uint64_t threadId();

}  // namespace targets
