// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: MIT
//
// The probe in five lines:
//
//     #include "coroTracer.h"
//
//     struct promise_type : corotracer::PromiseMixin { ... };
//
//     int main() { corotracer::InitTracer(); ... }
//
// Source-compatible with programs written for the existing coroTracer C++ SDK. docs/probe.md describes the whole API.
// With -DCOROTRACER_OFF the API stays the same and does nothing.
#pragma once

#include "corotracer/layout.h"
#if defined(COROTRACER_OFF)
#include "corotracer/off.h"
#else
#include "corotracer/control.h"
#include "corotracer/promise.h"
#endif

// Programs written for the existing SDK rely on the includes of its header.
#include <cstring>
#include <iostream>
#include <thread>
#include <utility>
