/// How many parts of the chip read the same lines at about the same time, where k of n SMs are simulated. LineSurvey counts it in a run that knows no times
/// (the survey: tb/run/survey.hpp); Sharing keeps what it found, by page.
#pragma once
#include <bitset>
#include <map>
#include <unordered_map>

#include "exec/timing/ticks.hpp"

namespace gsu::timing {

class Sharing {
public:
    static constexpr std::uint64_t kPage = 4096;

    /// Memory that was allocated as one: pages of it that nobody read count as its others do on average.
    void allocated(std::uint64_t address, std::uint64_t bytes);
    /// Lines of a page were brought in so many times, for so many parts in all.
    void add(std::uint64_t address, std::uint64_t parts, std::uint64_t times);
    /// Number of parts that read the lines there, at least 1; 0: not known.
    [[nodiscard]] double sharersOf(std::uint64_t address) const;
    /// No allocation of which there is much has another number of sharers there.
    [[nodiscard]] bool like(const Sharing& other) const;
    /// Every allocation of which there is much has several.
    [[nodiscard]] bool shared() const;
    bool cut{};                    ///< the survey was stopped before its end
    std::uint64_t instructions{};  ///< of warps, in the survey

private:
    struct Count {
        std::uint64_t parts{}, times{};
        [[nodiscard]] double mean() const noexcept
        {
            return times == 0 ? 0 : static_cast<double>(parts) / static_cast<double>(times);
        }
        void add(std::uint64_t moreParts, std::uint64_t moreTimes) noexcept
        {
            parts += moreParts;
            times += moreTimes;
        }
    };
    struct Area {
        std::uint64_t end{};
        Count count;
    };
    /// Allocations to which at least one line of 64 belongs.
    [[nodiscard]] std::map<std::uint64_t, double> large() const;

    std::unordered_map<std::uint64_t, Count> pages_;
    std::map<std::uint64_t, Area> areas_;  ///< by begin
};

class LineSurvey {
public:
    static constexpr unsigned kParts = 1024;  ///< most that are told apart
    /// One line in so many is looked at.
    static constexpr unsigned kSample = 8;

    /// `kept`: bytes that L2 keeps.
    explicit LineSurvey(std::uint64_t kept) : kept_(kept) {}
    /// A part of the chip reads bytes of global memory; `now`: the clock of the survey.
    void touch(unsigned part, std::uint64_t address, std::uint64_t bytes, Cycle now);
    /// What was found. `cut`: the run went on, and lines that were brought in at last may get more readers.
    [[nodiscard]] Sharing found(bool cut) const;
    /// As many bytes were brought in as L2 keeps.
    [[nodiscard]] bool filled() const noexcept { return volume_ >= kept_; }
    void allocated(std::uint64_t address, std::uint64_t bytes)
    {
        closed_.allocated(address, bytes);
    }

private:
    struct Line {
        std::uint64_t last{};       ///< volume at the last touch
        Cycle begun{};              ///< when it was brought in
        std::bitset<kParts> parts;  ///< since then
    };
    std::uint64_t kept_, volume_{};
    Cycle now_{};
    std::unordered_map<std::uint64_t, Line> lines_;
    Sharing closed_;  ///< of lines that were brought in again
};

}  // namespace gsu::timing
