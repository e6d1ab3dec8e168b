/// A launch file (tb/exec/README.md has the format) as plain values: the kernel, its shape, its arguments, its expected results.
/// A malformed file throws gsu::InputError, which names file, place (path of keys) and reason.
#pragma once
#include <array>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/input_error.hpp"
#include "exec/tensormap/tensor_map.hpp"
#include "ptx/ast.hpp"

namespace gsu {

class JsonText;

enum class DataType : std::uint8_t {
    I8,
    U8,
    I16,
    U16,
    I32,
    U32,
    I64,
    U64,
    F16,
    BF16,
    F32,
    F64,
    B8,
    B16,
    B32,
    B64
};
[[nodiscard]] unsigned sizeOf(DataType type) noexcept;
[[nodiscard]] const char* nameOf(DataType type) noexcept;
[[nodiscard]] bool isFloat(DataType type) noexcept;

/// Elements of one type as little-endian bytes.
struct DataArray {
    DataType type{DataType::U8};
    std::vector<std::uint8_t> bytes;
    [[nodiscard]] std::size_t count() const noexcept { return bytes.size() / sizeOf(type); }
};
/// A type for every integer of 64 bits, signed or not, and for differences of two.
__extension__ typedef __int128 Integer;
/// An element as a number: an integer exactly in `integer`, a floating-point number in `real`.
struct Number {
    bool floating{};
    Integer integer{};
    double real{};
};
[[nodiscard]] Number elementOf(DataType type, const std::uint8_t* bytes) noexcept;
/// Shortest text of an element, for messages.
[[nodiscard]] std::string textOf(DataType type, const std::uint8_t* bytes);

/// The name of a buffer of the launch: the index of a parameter, or the name of an item under "memory" or of a module-scope variable.
struct MemoryRef {
    // NOLINTNEXTLINE(google-explicit-constructor): an index is a reference to a parameter.
    MemoryRef(std::size_t index = 0) : param(index) {}
    explicit MemoryRef(std::string n) : name(std::move(n)) {}
    std::size_t param{};
    std::string name;  ///< empty: the parameter
};

/// A tensor map over a buffer of the same launch.
struct TensorParam {
    MemoryRef base;
    std::uint64_t offset{};  ///< bytes into it
    TensorMap map;           ///< its address is filled in when the buffer has one
};

/// Bytes of an aggregate or of a buffer that hold an address or a tensor map, and are known only when the buffers have addresses.
struct Patch {
    std::uint64_t offset{};               ///< offset of the bytes
    MemoryRef base;                       ///< 8 bytes: the address of this
    std::uint64_t add{};                  ///< plus this
    std::optional<TensorParam> tensor{};  ///< or 128 bytes: this map
};

struct LaunchParam {
    enum class Kind : std::uint8_t {
        Buffer,
        Value
    } kind{Kind::Value};                  ///< Value: scalar, null, bytes
    DataArray data;                       ///< Buffer: initial contents; Value: the bytes passed
    std::optional<TensorParam> tensor{};  ///< Value: the bytes come from here
    std::vector<Patch> patches{};
};

/// Global memory that no parameter points to.
struct LaunchMemory {
    std::string name;
    DataArray data;
    std::optional<std::uint64_t> address;  ///< address, if given
    std::vector<Patch> patches{};
};

/// An address whose stores and reductions go to several buffers of the same size.
struct LaunchMultimem {
    std::string name;
    std::vector<MemoryRef> copies;
};

struct LaunchGlobal {
    std::string name;
    DataArray data;                          ///< no bytes: as in the module
    std::optional<std::uint64_t> address{};  ///< address of the variable, if given
    bool typed{true};  ///< `data` has a type of its own, not that of the declaration
};

struct Expectation {
    std::optional<std::size_t> param;  ///< index of a buffer, or
    std::string global;                ///< name under "memory", or of a module-scope variable
    DataArray data;                    ///< one element and `fill`, or all compared elements
    bool fill{};
    double rtol{}, atol{};
    bool tolerant{};  ///< rtol or atol given
    std::optional<std::size_t> first;
};

enum class ExpectedVerdict : std::uint8_t { Pass, Hang, Misuse, Trap };
[[nodiscard]] const char* nameOf(ExpectedVerdict verdict) noexcept;

/// Waits that a hang must have.
struct HangExpectation {
    std::vector<std::pair<std::uint32_t, std::uint32_t>> waiting;  ///< cta, warp
    std::string kind;                                              ///< empty: any
    std::optional<std::uint32_t> id, address;
};

struct LaunchSpec {
    std::filesystem::path file;  ///< the launch file; messages name it
    std::shared_ptr<const JsonText>
        text{};                 ///< text of the file; none: the launch was made by a program
    std::string place{};        ///< in a list of launches: "/launches/2"
    std::uint32_t stream{};     ///< in a list: launches of a stream run in order
    bool dependent{};           ///< launched while the preceding one of its stream may still run
    std::filesystem::path ptx;  ///< resolved against the launch file; the first of several
    std::vector<std::filesystem::path> linked{};  ///< all, when "ptx" is a list
    std::string entry;                            ///< empty: the module's only entry
    std::array<std::uint32_t, 3> grid{1, 1, 1}, block{1, 1, 1};
    std::optional<std::array<std::uint32_t, 3>> cluster;
    std::uint32_t dynamicSmem{};
    bool cooperative{};
    std::optional<unsigned> sms;
    /// registers of a thread, from the assembler (ptxas -v); 0: not given, and no limit
    unsigned registers{};
    std::string timing{};  ///< exec.timing, unless the call gives another; empty: not given
    unsigned of{};         ///< exec.of, likewise; 0: not given
    /// chip with its SMs, parameters and clock (launch/chips.hpp), unless the call gives another; empty: not given
    std::string chip{};
    std::vector<LaunchParam> params;
    std::optional<LaunchParam> paramBlock{};  ///< in place of `params`: the bytes of all of them
    std::vector<LaunchMemory> memory;
    std::vector<LaunchMultimem> multimem;
    std::vector<LaunchGlobal> globals;
    std::vector<Expectation> expect;
    /// in a list: contents of memory and variables before the launch
    std::vector<Expectation> writes{};
    ExpectedVerdict verdict{ExpectedVerdict::Pass};
    std::vector<std::string> rules;  ///< misuse: at least one of these
    HangExpectation hang;
    std::vector<std::filesystem::path> files;  ///< data files that were read

    /// Throws InputError: file, line and column of the value of the JSON pointer, its place, the reason.
    [[noreturn]] void fail(const std::string& pointer, const std::string& reason) const;
};

/// Limit of all buffers and "globals" of a launch file together.
inline constexpr std::uint64_t kMaxLaunchBytes = 2ull << 30;

/// One launch, or several that share memory.
struct LaunchFile {
    /// The launch; for a list the common part of its launches: the PTX, memory, variables, final expectations.
    LaunchSpec common;
    std::vector<LaunchSpec> launches;  ///< empty: no list
};

/// The module of a launch file, as loadModule returns it; called if a type has to be taken from a declaration.
using ModuleSource = std::function<const ptx::Module&(const LaunchSpec&)>;

/// Reads and checks a launch file and its data files. Without a source of modules it opens the PTX itself, if at all.
[[nodiscard]] LaunchFile loadLaunchFile(const std::filesystem::path& file,
                                        const ModuleSource& modules = {});
/// The same from text. `text` names the file in messages and gives the folder of data files.
[[nodiscard]] LaunchFile parseLaunchFile(std::shared_ptr<const JsonText> text,
                                         const ModuleSource& modules = {},
                                         std::uint64_t maxBytes = kMaxLaunchBytes);
/// Reads a launch file with one launch; a list is refused.
[[nodiscard]] LaunchSpec loadLaunch(const std::filesystem::path& file);
[[nodiscard]] LaunchSpec parseLaunch(const std::string& text, const std::filesystem::path& file,
                                     std::uint64_t maxBytes = kMaxLaunchBytes);

/// The module of a launch: its one text, or its list of texts linked. Throws InputError at the first error.
[[nodiscard]] ptx::Module loadModule(const LaunchSpec& spec);

/// The order in which the launches of a list run: that of each stream is kept, the seed chooses among streams.
[[nodiscard]] std::vector<std::size_t> orderOf(const std::vector<LaunchSpec>& launches,
                                               std::uint64_t seed);

/// The entry function of the launch. Throws InputError if there is none or several.
[[nodiscard]] const ptx::Function& entryOf(const LaunchSpec& spec, const ptx::Module& module);

}  // namespace gsu
