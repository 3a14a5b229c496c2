// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Traces coroutines as a version-1 SDK does.
#include "support/oldsdkwriter.h"
#include "support/writerjob.h"

int main(int argc, char **argv)
{
    return targets::runWriterProgram<targets::OldSdkWriter>("coroutines traced the way version-1 SDKs do it", argc,
                                                            argv);
}
