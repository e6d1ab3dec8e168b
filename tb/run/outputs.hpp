/// The files that a run writes. Each is finished on its own: a file that cannot be written (a full disk) affects neither the others nor the report.
#pragma once
#include <optional>
#include <string>

#include "base/input_error.hpp"

namespace gsu::run {

class Outputs {
public:
    /// Calls `finish` unless `path` is empty, and keeps the InputError that it throws.
    template <class F> void add(const char* what, const std::string& path, F&& finish)
    {
        if (path.empty()) return;
        try {
            finish();
        } catch (const InputError& error) {
            if (!failure_) failure_ = error;
            return;
        }
        text_ += (text_.empty() ? "" : ", ") + std::string(what) + ' ' + path;
    }
    /// "waves a.fst, trace b.gsut": the written files, for people.
    [[nodiscard]] const std::string& text() const noexcept { return text_; }
    [[nodiscard]] bool good() const noexcept { return !failure_.has_value(); }
    /// Call after the report. Throws the first failure, if any.
    void check() const
    {
        if (failure_) throw InputError(*failure_);
    }

private:
    std::string text_;
    std::optional<InputError> failure_;
};

}  // namespace gsu::run
