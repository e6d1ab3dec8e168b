#include "observers/timeline_perfetto.hpp"

#include <zlib.h>

#include "base/input_error.hpp"

namespace gsu::timeline {

namespace {

/// bytes of packets that are deflated together
constexpr std::size_t kBlock = std::size_t{1} << 18;
/// texts of each kind that are remembered
constexpr std::size_t kCandidates = std::size_t{1} << 16;
constexpr int kLevel = 4;  ///< level of deflate: a higher one takes time and gains little

// Field numbers of perfetto/trace/*.proto.
namespace trace {
constexpr unsigned kPacket = 1;
}
namespace packet {
constexpr unsigned kTimestamp = 8, kSequence = 10, kTrackEvent = 11, kInterned = 12, kFlags = 13,
                   kConfig = 33, kCompressed = 50, kDescriptor = 60;
constexpr std::uint64_t kStateCleared = 1, kNeedsState = 2;
}  // namespace packet
namespace config {
constexpr unsigned kSessionName = 22;
}
namespace descriptor {
constexpr unsigned kUuid = 1, kName = 2, kProcess = 3, kParent = 5, kOrdering = 11, kRank = 12;
constexpr unsigned kPid = 1, kProcessName = 6, kCounter = 8, kUnit = 6;
constexpr std::uint64_t kExplicit = 3;
}  // namespace descriptor
namespace event {
constexpr unsigned kCategoryId = 3, kAnnotation = 4, kType = 9, kNameId = 10, kTrack = 11,
                   kName = 23, kCounter = 30, kFlow = 47, kFlowEnd = 48;
enum Type : std::uint8_t { Begin = 1, End = 2, Instant = 3, Counter = 4 };
}  // namespace event
namespace annotation {
constexpr unsigned kNameId = 1, kInt = 4, kString = 6, kStringId = 17;
}
namespace interned {
constexpr unsigned kCategories = 1, kNames = 2, kAnnotationNames = 3, kStrings = 29;
constexpr unsigned kId = 1, kText = 2;
}  // namespace interned

}  // namespace

std::uint64_t Interner::idOf(const std::string& text, Message& data)
{
    const auto found = texts_.find(text);
    if (found == texts_.end() && texts_.size() >= kCandidates) return 0;
    Entry& e = found == texts_.end() ? texts_[text] : found->second;
    if (e.id != 0) return e.id;
    if (++e.uses < uses_) return 0;
    e.id = ++last_;
    Message one;
    one.number(interned::kId, e.id);
    one.text(interned::kText, text);
    data.message(field_, one);
    return e.id;
}

File::File(const std::string& path, const std::string& title)
    : file_(path),
      categories_(interned::kCategories, 1),
      names_(interned::kNames, 2),
      keys_(interned::kAnnotationNames, 1),
      strings_(interned::kStrings, 2)
{
    Message config;
    config.text(config::kSessionName, title);
    packet_.message(packet::kConfig, config);
    packet_.number(packet::kSequence, 1);
    packet_.number(packet::kFlags, packet::kStateCleared);
    endPacket();
}

void File::process(unsigned pid, const std::string& name)
{
    Message process;
    process.number(descriptor::kPid, pid);
    process.text(descriptor::kProcessName, name);
    event_.clear();
    event_.number(descriptor::kUuid, pid);
    event_.message(descriptor::kProcess, process);
    event_.number(descriptor::kOrdering, descriptor::kExplicit);
    event_.number(descriptor::kRank, pid);
    describe();
}

void File::slice(Track t, Cycle from, Cycle to, const std::string& name, Args args)
{
    ++events_;
    Rows& rows = rows_[keyOf(t)];
    std::size_t row = 0;
    while (row < rows.free.size() && rows.free[row] > from) ++row;
    const std::uint64_t uuid = uuidOf(t, rows, row);
    rows.free[row] = to;
    begin(event::Begin, uuid, "sync", name, args);
    end(from);
    begin(event::End, uuid);
    end(to);
}

void File::instant(Track t, Cycle at, const char* category, const std::string& name, Args args,
                   bool whole)
{
    ++events_;
    begin(event::Instant, whole ? t.pid : uuidOf(t, rows_[keyOf(t)], 0), category, name, args);
    end(at);
}

void File::flow(bool begins, std::uint64_t id, Track t, Cycle at, const char* name)
{
    ++events_;
    begin(event::Instant, uuidOf(t, rows_[keyOf(t)], 0), "flow", name, {});
    event_.fixed64(begins ? event::kFlow : event::kFlowEnd, id);
    end(at);
}

void File::finish()
{
    flush();
    file_.commit();
}

void File::counter(Track t, Cycle at, std::int64_t value, const char* unit)
{
    ++events_;
    begin(event::Counter, uuidOf(t, rows_[keyOf(t)], 0, unit));
    event_.number(event::kCounter, static_cast<std::uint64_t>(value));
    end(at);
}

/// `unit`: unit of a counter.
std::uint64_t File::uuidOf(Track t, Rows& rows, std::size_t row, const char* unit)
{
    if (row < rows.uuids.size()) return rows.uuids[row];
    rows.uuids.push_back(++lastUuid_);
    rows.free.push_back(0);
    event_.clear();
    event_.number(descriptor::kUuid, lastUuid_);
    event_.number(descriptor::kParent, t.pid);
    event_.text(descriptor::kName, rows.name);
    event_.number(descriptor::kRank, t.tid);
    if (unit != nullptr) {
        Message counter;
        counter.text(descriptor::kUnit, unit);
        event_.message(descriptor::kCounter, counter);
    }
    describe();
    return lastUuid_;
}

void File::describe()
{
    packet_.message(packet::kDescriptor, event_);
    packet_.number(packet::kSequence, 1);
    endPacket();
}

void File::begin(unsigned type, std::uint64_t uuid)
{
    event_.clear();
    interned_.clear();
    event_.number(event::kType, type);
    event_.number(event::kTrack, uuid);
}

void File::begin(unsigned type, std::uint64_t uuid, const char* category, const std::string& name,
                 Args args)
{
    begin(type, uuid);
    event_.number(event::kCategoryId, categories_.idOf(category, interned_));
    if (const std::uint64_t id = names_.idOf(name, interned_); id != 0) {
        event_.number(event::kNameId, id);
    } else {
        event_.text(event::kName, name);
    }
    for (const Arg& arg : args) annotate(arg);
}

void File::annotate(const Arg& arg)
{
    scratch_.clear();
    scratch_.number(annotation::kNameId, keys_.idOf(arg.key, interned_));
    if (const auto* number = std::get_if<std::int64_t>(&arg.value)) {
        scratch_.number(annotation::kInt, static_cast<std::uint64_t>(*number));
    } else {
        const auto& text = std::get<std::string>(arg.value);
        if (const std::uint64_t id = strings_.idOf(text, interned_); id != 0) {
            scratch_.number(annotation::kStringId, id);
        } else {
            scratch_.text(annotation::kString, text);
        }
    }
    event_.message(event::kAnnotation, scratch_);
}

void File::end(Cycle at)
{
    packet_.number(packet::kTimestamp, at);
    packet_.number(packet::kSequence, 1);
    packet_.number(packet::kFlags, packet::kNeedsState);
    if (!interned_.bytes().empty()) packet_.message(packet::kInterned, interned_);
    packet_.message(packet::kTrackEvent, event_);
    endPacket();
}

void File::endPacket()
{
    block_.message(trace::kPacket, packet_);
    packet_.clear();
    if (block_.bytes().size() >= kBlock) flush();
}

void File::flush()
{
    const std::string& plain = block_.bytes();
    uLongf size = ::compressBound(plain.size());
    std::string deflated(size, '\0');
    if (::compress2(reinterpret_cast<Bytef*>(deflated.data()), &size,
                    reinterpret_cast<const Bytef*>(plain.data()), plain.size(), kLevel) != Z_OK)
        throw InputError(file_.path(), "compressing failed");
    deflated.resize(size);
    Message inner, outer;
    inner.text(packet::kCompressed, deflated);
    outer.message(trace::kPacket, inner);
    file_.write(outer.bytes());
    block_.clear();
}

}  // namespace gsu::timeline
