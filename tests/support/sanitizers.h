// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// The sanitizers that a file is compiled with, by gcc or clang: 1 or 0.
#pragma once

#if defined(__has_feature)
#define CT_HAS_FEATURE(name) __has_feature(name)
#else
#define CT_HAS_FEATURE(name) 0
#endif

#if defined(__SANITIZE_ADDRESS__) || CT_HAS_FEATURE(address_sanitizer)
#define CT_ADDRESS_SANITIZER 1
#else
#define CT_ADDRESS_SANITIZER 0
#endif

#if defined(__SANITIZE_THREAD__) || CT_HAS_FEATURE(thread_sanitizer)
#define CT_THREAD_SANITIZER 1
#else
#define CT_THREAD_SANITIZER 0
#endif
