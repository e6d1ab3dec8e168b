/// The memory that a device keeps from launch to launch: global memory with its heap, module-scope variables, the constant bank.
#pragma once
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "exec/launch/launch_spec.hpp"
#include "exec/result/result.hpp"
#include "exec/storage/global_memory.hpp"

namespace gsu::exec {

struct DeviceMemory {
    /// Places the "memory" and "globals" of `spec`, and the variables of the module. Throws InputError. Both must outlive it. `bytes`:
    /// limit of host memory. `shared`: global memory that it has together with other modules, which outlives it; nullptr: its own.
    DeviceMemory(const LaunchSpec& spec, const ptx::Module& module, std::uint64_t bytes,
                 GlobalMemory* shared = nullptr);
    DeviceMemory(const DeviceMemory&) = delete;
    DeviceMemory& operator=(const DeviceMemory&) = delete;

    /// Takes host memory for `what` of the variable or kernel declared at `place`. Throws InputError if there is not enough.
    void reserve(std::uint64_t bytes, const std::string& what, ptx::Position place);
    /// An error at a place of the module, in the file of that place.
    [[nodiscard]] InputError errorAt(ptx::Position at, const std::string& why) const;
    /// Places the "multimem" items; `buffers` of parameters, 0: none.
    void placeMultimem(const std::vector<std::uint64_t>& buffers);
    /// Zeroes the workspace of a cooperative launch.
    void clearWorkspace();
    /// Address of memory or of a variable in global memory.
    [[nodiscard]] std::optional<std::uint64_t> addressOf(const std::string& name) const;
    /// Bytes of memory or of a variable, also a constant one: pointer and size; nullptr: none has this name.
    [[nodiscard]] std::pair<std::uint8_t*, std::uint64_t> bytesOf(const std::string& name);
    /// Contents of "memory.NAME" and "global.NAME", as they are now; without bytes only their names.
    [[nodiscard]] std::vector<MemoryContents> contents(bool withBytes);

    struct Multimem {
        std::string name;
        std::uint64_t base{}, bytes{};
        std::vector<std::uint64_t> copies;  ///< addresses
    };

    const LaunchSpec& spec;
    const ptx::Module& module;
    std::vector<Multimem> multimem;
    GlobalMemory ownGlobal;
    GlobalMemory& global;
    std::uint64_t total, left;  ///< host memory
    std::vector<std::uint8_t> constBank;
    /// addresses of module variables in .global
    std::map<std::string, std::uint64_t> globalSymbols;
    /// places of module variables in .const, in the bank
    std::map<std::string, std::uint64_t> constSymbols;
    std::map<std::string, std::uint64_t> memoryAddress;  ///< addresses of items under "memory"
    std::uint64_t
        gridWorkspace{};  ///< address that cooperative launches find through %envreg1 and %envreg2
    bool initialised{};   ///< the module's initial values are in place

private:
    struct Item {
        std::uint64_t address, bytes;
        const LaunchMemory* memory;  ///< or
        const LaunchGlobal* global;
    };
    [[nodiscard]] std::vector<Item> placingOrder() const;
    void layoutConstants();
    void placeMemory();
    void layoutGlobals();
    void checkNames();
};

/// Fills in addresses and tensor maps: those of `buffers` (by parameter, 0: none) and those of the device.
class Patcher {
public:
    Patcher(const LaunchSpec& spec, DeviceMemory& device, const std::vector<std::uint64_t>& buffers)
        : spec_(spec), device_(device), buffers_(buffers)
    {
    }
    /// Applies patches. `base`: origin of their offsets, for the alignment of a tensor map. `place`: JSON pointer.
    void apply(const std::vector<Patch>& patches, std::uint8_t* to, std::uint64_t base,
               const std::string& place) const;
    [[nodiscard]] std::vector<std::uint8_t> encoded(const TensorParam& tensor,
                                                    const std::string& place) const;
    /// Applies the patches under "memory".
    void memory() const;

private:
    [[nodiscard]] std::optional<std::uint64_t> addressOf(const MemoryRef& ref) const;
    const LaunchSpec& spec_;
    DeviceMemory& device_;
    const std::vector<std::uint64_t>& buffers_;
};

/// Lists differences between memory and its expected contents, at most 100 in all. `buffers` as above.
void compareMemory(DeviceMemory& device, const std::vector<Expectation>& expect,
                   const std::vector<std::uint64_t>& buffers, std::vector<Mismatch>& mismatches);

}  // namespace gsu::exec
