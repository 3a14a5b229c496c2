// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: MIT
//
// With -DCOROTRACER_EXTERN the probe's out-of-line functions are declared and no more: what links the program decides,
// with one of two static libraries, whether it can be traced (probe-runtime) or cannot (probe-stub). Each function is
// described where it is defined; those of PromiseMixin are in its class.
#pragma once

#include "process.h"
#include "types.h"

#include <string_view>

namespace corotracer {

class PromiseMixin;

void InitTracer() noexcept;
void enable(bool on) noexcept;
bool start_flight_recorder(const flight_recorder_options &options = {}) noexcept;
const char *flight_recorder_path() noexcept;
void name_thread(std::string_view name) noexcept;
void note_wake(const PromiseMixin &target, const PromiseMixin *by = nullptr) noexcept;
std::uint64_t get_ns() noexcept;
std::uint64_t get_tid() noexcept;

}  // namespace corotracer
