#include "exec/visibility/due_list.hpp"

#include <algorithm>
#include <bit>
#include <cassert>

namespace gsu::visibility {

Cycle DueList::nextNear() const noexcept
{
    static_assert(kNear / kBits == kBits, "a bit of words_ for each word of filled_");
    const Cycle at = begin_ % kNear;
    const auto word = static_cast<unsigned>(at / kBits);
    const auto found = [&](unsigned w, std::uint64_t bits) {
        const Cycle list = w * kBits + static_cast<unsigned>(std::countr_zero(bits));
        return begin_ + (list - at) % kNear;
    };
    const std::uint64_t here = filled_[word] & ~std::uint64_t{0} << at % kBits;
    if (here != 0) return found(word, here);
    const std::uint64_t above = words_ & ~std::uint64_t{1} << word;
    const auto w = static_cast<unsigned>(std::countr_zero(above != 0 ? above : words_));
    return found(w, filled_[w]);
}

void DueList::add(Name name, Cycle when)
{
    assert(when >= begin_ && when != kNever);
    if (name >= links_.size()) links_.resize(std::size_t{name} + 1);
    // A far name that is due at the same clock was added before: begin_ only grows.
    if (when - begin_ >= kNear) {
        links_[name].number = ++added_;
        far_.insert({when, added_, name});
        return;
    }
    const Cycle at = when % kNear;
    List& list = lists_[at];
    links_[name] = {list.last, kNone, 0};
    (list.last == kNone ? list.first : links_[list.last].behind) = name;
    list.last = name;
    filled_[at / kBits] |= std::uint64_t{1} << at % kBits;
    words_ |= std::uint64_t{1} << at / kBits;
    ++near_;
}

void DueList::remove(Name name, Cycle when)
{
    const Links links = links_[name];
    if (links.number != 0) {
        far_.erase({when, links.number, name});
        return;
    }
    const Cycle at = when % kNear;
    List& list = lists_[at];
    (links.before == kNone ? list.first : links_[links.before].behind) = links.behind;
    (links.behind == kNone ? list.last : links_[links.behind].before) = links.before;
    --near_;
    if (list.first != kNone) return;
    filled_[at / kBits] &= ~(std::uint64_t{1} << at % kBits);
    if (filled_[at / kBits] == 0) words_ &= ~(std::uint64_t{1} << at / kBits);
}

DueList::Name DueList::first() const noexcept
{
    const Cycle soon = near_ == 0 ? kNever : nextNear();
    if (!far_.empty() && std::get<0>(*far_.begin()) <= soon) return std::get<2>(*far_.begin());
    return lists_[soon % kNear].first;
}

}  // namespace gsu::visibility
