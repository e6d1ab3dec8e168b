/// Record of the written bytes of global memory (`--check-uninit`): a read of others is a finding (INIT-001).
#pragma once
#include <cstdint>
#include <map>
#include <optional>
#include <vector>

namespace gsu::exec {

/// Written bytes of tracked blocks; all other memory counts as written.
class WrittenBytes {
public:
    void track(std::uint64_t base, std::uint64_t bytes) { blocks_[base].assign(bytes, false); }
    void forget(std::uint64_t base) { blocks_.erase(base); }
    void wrote(std::uint64_t address, std::uint64_t bytes);
    /// Notes a copy, which takes over the record of its source.
    void copied(std::uint64_t to, std::uint64_t from, std::uint64_t bytes);
    /// The first unwritten byte.
    [[nodiscard]] std::optional<std::uint64_t> unwritten(std::uint64_t address,
                                                         std::uint64_t bytes) const;

private:
    using Block = std::pair<const std::uint64_t, std::vector<bool>>;
    [[nodiscard]] const Block* find(std::uint64_t address) const;
    std::map<std::uint64_t, std::vector<bool>> blocks_;
};

}  // namespace gsu::exec
