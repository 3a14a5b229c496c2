// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: MIT
//
// The static library probe-runtime: the probe's out-of-line functions, from the headers, for programs that are compiled
// with COROTRACER_EXTERN.
#include "coroTracer.h"

namespace corotracer {
inline namespace v2 {

/// Makes the compiler emit an inline function, by a pointer to it. An explicit instantiation may name private members.
template <auto Function>
struct emitted {
    [[gnu::used]] static constexpr auto pointer = Function;
};

template struct emitted<&PromiseMixin::be_born>;
template struct emitted<&PromiseMixin::die>;
template struct emitted<&PromiseMixin::publish>;
template struct emitted<&PromiseMixin::record_full>;
template struct emitted<&PromiseMixin::record_suspend>;
template struct emitted<&PromiseMixin::leave_suspend>;
template struct emitted<&PromiseMixin::publish_record>;
template struct emitted<&PromiseMixin::write_wait>;
template struct emitted<&PromiseMixin::write_waits>;
template struct emitted<&PromiseMixin::finished>;
template struct emitted<&PromiseMixin::set_name>;
template struct emitted<&PromiseMixin::set_parent>;
template struct emitted<&detail::count_early_birth>;
template struct emitted<&InitTracer>;
template struct emitted<&enable>;
template struct emitted<&start_flight_recorder>;
template struct emitted<&flight_recorder_path>;
template struct emitted<&name_thread>;
template struct emitted<&note_wake>;
template struct emitted<&note_wakers_left>;
template struct emitted<&note_acquired>;
template struct emitted<&note_released>;
template struct emitted<&note_signalled>;
template struct emitted<&get_ns>;
template struct emitted<&get_tid>;

}  // namespace v2
}  // namespace corotracer
