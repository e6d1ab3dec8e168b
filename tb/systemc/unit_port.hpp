/// A port by its name in `gsu --unit`, with its shared memory, for the SystemC programs.
#pragma once
#include <memory>
#include <string>
#include <vector>

#include "golden/params.hpp"
#include "golden/word_memory.hpp"

namespace gsu {

[[nodiscard]] std::vector<std::string> unitNames();

class UnitPort {
public:
    /// Makes the port. Pre: `name` is one of unitNames(). Parameters of the preset hopper, or `config`.
    UnitPort(const std::string& name, unsigned sms);
    UnitPort(const std::string& name, unsigned sms, const Config& config);
    [[nodiscard]] SyncPort& port() const noexcept { return *port_; }
    [[nodiscard]] SharedMemory& memory() noexcept { return memory_; }

private:
    WordMemory memory_;                 ///< barrier words
    std::unique_ptr<SyncPort> device_;  ///< device under lockstep
    std::unique_ptr<SyncPort> port_;
};

}  // namespace gsu
