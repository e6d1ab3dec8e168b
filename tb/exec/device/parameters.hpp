/// Arguments of a launch: their places and bytes in the parameter bank, and the buffers that they point to.
#pragma once
#include "exec/device/device_memory.hpp"
#include "exec/program/micro_op.hpp"

namespace gsu::exec {

class Parameters {
public:
    /// Allocates buffers on `device` and fills in addresses; also those of `device`, if the launch has it for itself (`owned`). Throws
    /// InputError if the arguments do not fit the entry.
    Parameters(const LaunchSpec& spec, const ptx::Module& module, DeviceMemory& device, bool owned);

    [[nodiscard]] std::vector<std::uint8_t>& bank() noexcept { return bank_; }
    /// Offset of each parameter in the bank.
    [[nodiscard]] const std::vector<std::uint64_t>& offsets() const noexcept { return offsets_; }
    /// Address of the buffer of each parameter, 0: none.
    [[nodiscard]] const std::vector<std::uint64_t>& buffers() const noexcept { return buffers_; }
    /// The buffers, as they are now; without bytes only their names.
    [[nodiscard]] std::vector<MemoryContents> contents(bool withBytes) const;

private:
    [[nodiscard]] std::vector<std::uint8_t> argument(std::size_t index);
    void layout(const ptx::Function& entry);
    void patch(const ptx::Function& entry, bool owned);

    const LaunchSpec& spec_;
    DeviceMemory& device_;
    std::vector<std::uint8_t> bank_;
    std::vector<std::uint64_t> offsets_, buffers_;
};

/// Gives module-scope variables their initial contents: the module's, then the launch file's "globals".
void applyInitialisers(DeviceMemory& device, const Program& program,
                       const std::map<std::string, std::uint64_t>& sharedSymbols);

}  // namespace gsu::exec
