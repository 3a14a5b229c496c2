// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: MIT
//
// Declarations for -DCOROTRACER_EXTERN. The program is then linked with one of two static libraries: with probe-runtime
// it can be traced, with probe-stub it cannot. The definitions have the documentation: control.h, flightrecorder.h,
// names.h and causality.h. The member functions of PromiseMixin are documented in its class (promise.h).
#pragma once

#include "location.h"
#include "state.h"
#include "types.h"

#include <string_view>

namespace corotracer {
inline namespace v2 {

class PromiseMixin;

void InitTracer() noexcept;
void enable(bool on) noexcept;
bool start_flight_recorder(const flight_recorder_options &options = {}) noexcept;
const char *flight_recorder_path() noexcept;
void name_thread(std::string_view name) noexcept;
void note_wake(const PromiseMixin &target, const PromiseMixin *by = nullptr) noexcept;
void note_wakers_left(const PromiseMixin &target, std::uint64_t count) noexcept;
void note_acquired(const void *object, location where = location::current()) noexcept;
void note_released(const void *object, location where = location::current()) noexcept;
void note_signalled(const void *object, location where = location::current()) noexcept;
std::uint64_t get_ns() noexcept;
std::uint64_t get_tid() noexcept;

}  // namespace v2
}  // namespace corotracer
