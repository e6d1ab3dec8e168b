/// Writes every commit of a run as a line of text, for readers outside the program (tb/traffic/README.md has the columns).
#pragma once
#include <string>

#include "base/atomic_file.hpp"
#include "golden/port_observer.hpp"

namespace gsu {

class CommitLog final : public PortObserver {
public:
    /// Opens the log. The file appears with close(). Throws InputError.
    explicit CommitLog(const std::string& path);
    void onCommit(const Commit& commit) override;
    void close();

private:
    AtomicFile file_;
    std::string text_;
};

}  // namespace gsu
