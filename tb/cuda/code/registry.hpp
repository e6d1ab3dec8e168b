/// Registrations of a program's start-up code with the runtime: fat binaries, their kernels and variables, and the functions and addresses
/// of the host that stand for these. Code is loaded when something of it is first used.
#pragma once
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "cuda/code/code_module.hpp"
#include "cuda/code/launch.hpp"

namespace gsu::cuda {

inline constexpr std::uint32_t kWrapper = 0x4662'43b1;  ///< FatBinaryWrapper::magic

/// The argument of start-up code, in the program's section .nvFatBinSegment.
struct FatBinaryWrapper {
    std::uint32_t magic;
    /// 1: one container; 2: containers of modules that are linked on the device
    std::uint32_t version;
    const void* container;
    const void* const* parts;  ///< version 2: containers, ended by a null pointer
};

/// Loads PTX as modules, and owns modules and kernels.
class CodeLoader {
public:
    virtual ~CodeLoader() = default;
    /// Loads device code as PTX as a module. `managed`: its variables in managed memory. Throws Refusal.
    virtual CodeModule& load(const std::vector<std::string>& texts, const std::string& name,
                             const std::vector<std::string>& managed) = 0;
    virtual void unload(CodeModule& module) = 0;
    /// The state of a kernel, made at its first use. Throws Refusal.
    virtual Kernel& kernelOf(CodeModule& module, const std::string& name) = 0;
    /// Compute capability of the device, 90 for 9.0.
    [[nodiscard]] virtual unsigned target() const noexcept = 0;
};

class Registry {
public:
    struct Binary {
        const FatBinaryWrapper* wrapper{};
        std::string file;  ///< program or library that contains it
        CodeModule* module{};
        std::string failure;  ///< reason why it could not be loaded
        Status status{};
        struct Managed {
            std::string name;
            void** host;  ///< address of the program's pointer to it
        };
        std::vector<Managed> managed;
        unsigned kernels{};
    };
    [[nodiscard]] Binary* add(const FatBinaryWrapper* wrapper, const void* site);
    /// Removes a binary with everything that was registered for it.
    void remove(CodeLoader& loader, Binary* binary);
    void addKernel(Binary* binary, const void* host, std::string name);
    void addVariable(Binary* binary, const void* host, std::string name);

    /// Loads a binary now. Throws Refusal.
    CodeModule& load(CodeLoader& loader, Binary& binary);
    /// The kernel of a host function. Throws Refusal: no such kernel, or no PTX of it.
    [[nodiscard]] Kernel& kernel(CodeLoader& loader, const void* host);
    [[nodiscard]] VariablePlace variable(CodeLoader& loader, const void* host);
    /// The first message of a binary that has kernels, and none that can be executed.
    [[nodiscard]] const std::vector<std::unique_ptr<Binary>>& all() const noexcept
    {
        return binaries_;
    }

private:
    struct Entry {
        Binary* binary{};
        std::string name;
    };
    std::vector<std::unique_ptr<Binary>> binaries_;
    std::map<const void*, Entry> kernels_, variables_;
};

/// The PTX of a wrapper's containers, for a device of capability `sm`. Throws Refusal.
[[nodiscard]] std::vector<std::string> textsOf(const FatBinaryWrapper& wrapper, unsigned sm,
                                               const std::string& file);
/// The PTX for the device of one container in this process's memory; empty: it has none. `machineCode`: its other architectures.
[[nodiscard]] std::string textOf(const void* container, unsigned sm, std::string& machineCode);

}  // namespace gsu::cuda
