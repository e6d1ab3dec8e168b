/// What a program's start-up code makes known to the runtime: fat binaries, the kernels and variables in them, the functions and addresses of the host
/// that stand for these. Code is loaded when something of it is first used.
#pragma once
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "cuda/code/code_module.hpp"
#include "cuda/code/launch.hpp"

namespace gsu::cuda {

inline constexpr std::uint32_t kWrapper = 0x4662'43b1;  ///< FatBinaryWrapper::magic

/// What start-up code passes: it stands in the program's section .nvFatBinSegment.
struct FatBinaryWrapper {
    std::uint32_t magic;
    std::uint32_t version;  ///< 1: one container; 2: those of modules that are linked on the device
    const void* container;
    const void* const* parts;  ///< version 2: containers, ended by a null pointer
};

/// Who turns PTX into a loaded module, and keeps modules and kernels.
class CodeLoader {
public:
    virtual ~CodeLoader() = default;
    /// Device code as PTX, which becomes a module. `managed`: its variables in managed memory. Throws Refusal.
    virtual CodeModule& load(const std::vector<std::string>& texts, const std::string& name,
                             const std::vector<std::string>& managed) = 0;
    virtual void unload(CodeModule& module) = 0;
    /// The kernel's state, made at its first use. Throws Refusal.
    virtual Kernel& kernelOf(CodeModule& module, const std::string& name) = 0;
    /// Compute capability of the device, 90 for 9.0.
    [[nodiscard]] virtual unsigned target() const noexcept = 0;
};

class Registry {
public:
    struct Binary {
        const FatBinaryWrapper* wrapper{};
        std::string file;  ///< the program or library that holds it
        CodeModule* module{};
        std::string failure;  ///< why it could not be loaded
        Status status{};
        struct Managed {
            std::string name;
            void** host;  ///< where the program keeps its address
        };
        std::vector<Managed> managed;
        unsigned kernels{};
    };
    [[nodiscard]] Binary* add(const FatBinaryWrapper* wrapper, const void* site);
    /// Forgets it with all that was registered for it.
    void remove(CodeLoader& loader, Binary* binary);
    void addKernel(Binary* binary, const void* host, std::string name);
    void addVariable(Binary* binary, const void* host, std::string name);

    /// Loads it now. Throws Refusal.
    CodeModule& load(CodeLoader& loader, Binary& binary);
    /// Throws Refusal: no such kernel, or no PTX of it.
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

/// The PTX of the containers that a wrapper names, for a device of capability `sm`. Throws Refusal.
[[nodiscard]] std::vector<std::string> textsOf(const FatBinaryWrapper& wrapper, unsigned sm,
                                               const std::string& file);
/// Of one container in this process's memory: its PTX for the device; empty: it has none. `machineCode`: architectures it has besides.
[[nodiscard]] std::string textOf(const void* container, unsigned sm, std::string& machineCode);

}  // namespace gsu::cuda
