// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// The region for a program that speaks the protocol without the probe: three environment variables, one mapping, one
// socket. The layout comes from corotracer/layout.h. Each writer implements its own behaviour.
#pragma once

#include "corotracer/layout.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

namespace targets {

/// The type in which a program computes the size of its mapping, 1024 + n * 1024 bytes.
enum class SizeIn {
    Int,    ///< the C++ SDK: atoi and 32-bit arithmetic, which overflows with 2,097,151 stations
    Usize,  ///< the Rust SDK
};

class RawRegion {
public:
    /// Maps the region that CTP_SHM_PATH, CTP_SOCK_PATH and CTP_MAX_STATIONS describe. Returns nullopt if a variable is
    /// unset, or if the mapping fails, which is printed on stderr. The program then runs untraced, as every target
    /// must.
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

    /// Allocates a station. Returns nullptr if none is left; the count grows in either case, as in version 1.
    [[nodiscard]] corotracer::StationData *allocate() const;

    /// Wakes a sleeping engine once. Call it after a publishing seq_cst store.
    void wakeEngine() const;

private:
    RawRegion() = default;

    std::byte *m_bytes = nullptr;
    std::size_t m_size = 0;
    int m_socket = -1;
    std::string m_path;
};

/// CLOCK_MONOTONIC in nanoseconds, from clock_gettime() as in version-1 writers.
[[nodiscard]] std::uint64_t monotonicNs();
/// OS thread id, from a system call each time, as in version-1 writers.
[[nodiscard]] std::uint64_t threadId();

}  // namespace targets
