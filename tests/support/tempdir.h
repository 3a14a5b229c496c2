// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// A temporary directory for one test.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <stdexcept>
#include <string>

namespace ct::test {

/// Creates the directory, and removes it with its contents in the destructor.
class TempDir {
public:
    TempDir()
    {
        m_path = (std::filesystem::temp_directory_path() / "ct-XXXXXX").string();
        if (::mkdtemp(m_path.data()) == nullptr)
            throw std::runtime_error("no temporary directory");
    }
    ~TempDir()
    {
        std::error_code ignored;
        std::filesystem::remove_all(m_path, ignored);
    }
    TempDir(const TempDir &) = delete;
    TempDir &operator=(const TempDir &) = delete;
    std::string file(const std::string &name) const { return m_path + "/" + name; }
    const std::string &path() const { return m_path; }

private:
    std::string m_path;
};

}  // namespace ct::test
