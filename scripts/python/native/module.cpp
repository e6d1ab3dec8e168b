// The C library for Python, thinly: gsu.unit makes it comfortable. Failed calls become exceptions of gsu.errors with the library's text.
#include <capi/gsu.h>
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <iterator>
#include <string>
#include <type_traits>
#include <vector>

#include "capi/c_records.gen.hpp"
#include "event_values.hpp"

namespace nb = nanobind;

namespace {

/// Raises what gsu.errors makes of it.
[[noreturn]] void raise(gsu_status status, const std::string& text)
{
    const nb::object error = nb::module_::import_("gsu.errors").attr("of_status")(status, text);
    PyErr_SetObject(reinterpret_cast<PyObject*>(Py_TYPE(error.ptr())), error.ptr());
    throw nb::python_error();
}

gsu_status good(gsu_status status)
{
    if (status < 0) raise(status, gsu_last_error());
    return status;
}

template <typename T> T structure()
{
    T out{};
    out.size = sizeof(T);
    return out;
}

using Words = nb::ndarray<const std::uint64_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

/// A value for each lane: the array has 32 of them.
template <typename T> void lanes(const Words& from, T (&to)[32], const char* name)
{
    if (from.shape(0) != 32)
        raise(GSU_E_ARGUMENT, std::string(name) + ": an array of 32 values, one for each lane");
    for (unsigned i = 0; i < 32; ++i) {
        to[i] = static_cast<T>(from.data()[i]);
        if (to[i] != from.data()[i])
            raise(GSU_E_ARGUMENT, std::string(name) + ": a value is too large");
    }
}

/// A number that has to fit.
template <typename T> T fit(std::uint64_t value, const char* name)
{
    if (value != static_cast<T>(value))
        raise(GSU_E_ARGUMENT, std::string(name) + " " + std::to_string(value) + " is too large");
    return static_cast<T>(value);
}

/// A record of the port from its members by name; those that are not given are 0.
template <typename T> T filled(const nb::dict& members)
{
    auto record = structure<T>();
    std::size_t known = 0;
    gsu::capi::eachMember(record, [&](auto& member, const char* name) {
        if (!members.contains(name)) return;
        ++known;
        if constexpr (std::is_integral_v<std::remove_reference_t<decltype(member)>>)
            member = fit<std::remove_reference_t<decltype(member)>>(
                nb::cast<std::uint64_t>(members[name]), name);
    });
    if (known != members.size()) raise(GSU_E_ARGUMENT, "a member that the record does not have");
    return record;
}

class Unit {
public:
    Unit(const std::string& unit, const std::string& preset,
         const std::vector<std::string>& settings, std::uint32_t sms, bool assertions,
         std::uint32_t threads, std::uint32_t events, bool journal, const std::string& with,
         const std::string& model)
    {
        std::vector<const char*> list;
        for (const std::string& setting : settings) list.push_back(setting.c_str());
        list.push_back(nullptr);
        auto options = structure<gsu_options>();
        options.abi = GSU_ABI;
        options.unit = unit.c_str();
        options.preset = preset.c_str();
        options.settings = list.data();
        options.sms = sms;
        options.assertions = assertions;
        options.threads = threads;
        options.events = events;
        options.journal = journal;
        if (!with.empty()) options.with = with.c_str();
        if (!model.empty()) options.model = model.c_str();
        good(gsu_unit_create(&options, &handle_));
    }
    ~Unit() { gsu_unit_destroy(handle_); }
    Unit(const Unit&) = delete;
    Unit& operator=(const Unit&) = delete;

    bool canPresent(std::uint32_t sm) const { return good(gsu_unit_can_present(handle_, sm)) == 1; }
    bool canNotify(std::uint32_t sm) const { return good(gsu_unit_can_notify(handle_, sm)) == 1; }
    void present(const nb::dict& members, const Words& addr, const Words& data, const Words& limit)
    {
        auto r = filled<gsu_request>(members);
        lanes(addr, r.addr, "addr");
        lanes(data, r.data, "data");
        lanes(limit, r.limit, "limit");
        good(gsu_unit_present(handle_, &r));
    }
    void notify(const nb::dict& members)
    {
        const auto a = filled<gsu_async>(members);
        good(gsu_unit_notify(handle_, &a));
    }
    bool canAnswerCancel(std::uint32_t sm) const
    {
        return good(gsu_unit_can_answer_cancel(handle_, sm)) == 1;
    }
    void answerCancel(const nb::dict& members, const std::vector<std::uint64_t>& first)
    {
        auto a = filled<gsu_cancel_answer>(members);
        for (std::size_t i = 0; i < first.size() && i < std::size(a.first); ++i)
            a.first[i] = fit<std::uint32_t>(first[i], "first");
        good(gsu_unit_answer_cancel(handle_, &a));
    }
    void route(const nb::dict& members)
    {
        const auto r = filled<gsu_route>(members);
        good(gsu_unit_route(handle_, &r));
    }
    void grid(std::uint64_t grid, std::uint64_t what, std::uint64_t ctas, std::uint64_t prereqs,
              std::uint64_t network)
    {
        auto g = structure<gsu_grid>();
        g.grid = fit<std::uint8_t>(grid, "grid");
        g.ctas = fit<std::uint32_t>(ctas, "ctas");
        g.prereqs = fit<std::uint16_t>(prereqs, "prerequisites");
        g.what = fit<std::uint8_t>(what, "what");
        g.network = fit<std::uint32_t>(network, "network");
        good(gsu_unit_grid(handle_, &g));
    }
    bool launch(const nb::dict& members)
    {
        const auto l = filled<gsu_launch>(members);
        return good(gsu_unit_launch(handle_, &l)) == 1;
    }
    void exit(const nb::dict& members)
    {
        const auto e = filled<gsu_exit>(members);
        good(gsu_unit_exit(handle_, &e));
    }
    void stored(std::uint32_t sm, std::uint32_t addr, std::uint32_t bytes)
    {
        good(gsu_unit_stored(handle_, sm, addr, bytes));
    }
    int epoch(std::uint32_t sm, std::uint32_t cta, std::uint32_t warp, std::uint32_t reach) const
    {
        return good(gsu_unit_epoch(handle_, sm, cta, warp, reach));
    }
    void accesses(bool performed, const nb::dict& members)
    {
        const auto a = filled<gsu_accesses>(members);
        good((performed ? gsu_unit_performed : gsu_unit_announce)(handle_, &a));
    }
    std::uint64_t word(std::uint32_t sm, std::uint32_t addr) const
    {
        std::uint64_t out = 0;
        good(gsu_unit_read_word(handle_, sm, addr, &out));
        return out;
    }
    /// Ctrl-C ends it between two cycles.
    void step(std::uint64_t cycles)
    {
        for (std::uint64_t n = 0; n < cycles; ++n) {
            good(gsu_unit_step(handle_));
            if (n % 4096 == 4095 && PyErr_CheckSignals() != 0) throw nb::python_error();
        }
        checkFault();
    }
    std::uint64_t now() const
    {
        std::uint64_t cycle = 0;
        good(gsu_unit_now(handle_, &cycle));
        return cycle;
    }
    std::uint64_t quietUntil() const
    {
        std::uint64_t cycle = 0;
        good(gsu_unit_quiet_until(handle_, &cycle));
        return cycle;
    }
    void skipTo(std::uint64_t cycle) { good(gsu_unit_skip_to(handle_, cycle)); }
    void openWaves(const std::string& path, std::uint64_t from, std::uint64_t to)
    {
        auto waves = structure<gsu_waves>();
        waves.path = path.c_str();
        waves.from = from;
        waves.to = to;
        good(gsu_unit_open_waves(handle_, &waves));
    }
    void closeWaves() { good(gsu_unit_close_waves(handle_)); }
    void reset() { good(gsu_unit_reset(handle_)); }
    nb::bytes save() const
    {
        std::uint64_t bytes = 0;
        good(gsu_unit_save(handle_, nullptr, 0, &bytes));
        std::string data(bytes, '\0');
        good(gsu_unit_save(handle_, data.data(), data.size(), &bytes));
        return nb::bytes(data.data(), data.size());
    }
    void restore(const nb::bytes& data)
    {
        good(gsu_unit_restore(handle_, data.c_str(), data.size()));
    }
    std::string explain()
    {
        const char* text = "";
        good(gsu_unit_explain(handle_, &text));
        return text;
    }
    void line(std::uint64_t line)
    {
        good(gsu_unit_line(handle_, fit<std::uint32_t>(line, "line")));
    }
    nb::dict hang(bool idle)
    {
        auto h = structure<gsu_hang>();
        const bool hangs = good(gsu_unit_hang(handle_, idle, &h)) == 1;
        nb::dict out;
        out["hangs"] = hangs;
        out["kind"] = h.kind;
        out["line"] = h.line;
        out["cycle"] = h.cycle;
        out["last_change"] = h.last_change;
        out["waiting"] = h.waiting;
        out["running"] = h.running;
        out["sentence"] = h.sentence;
        out["text"] = h.text;
        out["json"] = h.json;
        return out;
    }
    nb::dict barrier(std::uint32_t sm, std::uint32_t cta, std::uint32_t id) const
    {
        auto s = structure<gsu_barrier_state>();
        good(gsu_unit_barrier(handle_, sm, cta, id, &s));
        static const char* const kModes[] = {"idle", "explicit", "all"};
        nb::dict out;
        out["mode"] = kModes[s.mode % 3];
        out["arrived"] = s.arrived;
        out["waiting"] = s.waiting;
        out["missing"] = s.missing;
        out["arrived_count"] = s.arrived_count;
        out["expected"] = s.expected;
        out["generations"] = s.generations;
        return out;
    }
    nb::dict mbarrier(std::uint32_t sm, std::uint32_t cta, std::uint32_t addr) const
    {
        auto s = structure<gsu_mbarrier_state>();
        good(gsu_unit_mbarrier(handle_, sm, cta, addr, &s));
        nb::dict out;
        out["phase"] = s.phase;
        out["locked"] = s.locked != 0;
        out["pending"] = s.pending;
        out["expected"] = s.expected;
        out["tx"] = s.tx;
        out["waiting"] = s.waiting;
        out["known"] = s.known != 0;
        out["word"] = s.word;
        out["phases"] = s.phases;
        return out;
    }
    nb::dict cluster(std::uint32_t sm, std::uint32_t cta) const
    {
        auto s = structure<gsu_cluster_state>();
        good(gsu_unit_cluster(handle_, sm, cta, &s));
        nb::dict out;
        out["rank"] = s.rank;
        out["ctas"] = s.ctas;
        out["arrived"] = s.arrived;
        out["waiting"] = s.waiting;
        out["missing"] = s.missing;
        out["launched"] = s.launched;
        out["ranks_arrived"] = s.ranks_arrived;
        out["ranks_missing"] = s.ranks_missing;
        out["generations"] = s.generations;
        return out;
    }
    /// Takes all kept events: (kind, tuple) in their order; the members are those that gsu.unit names.
    nb::list events()
    {
        nb::list out;
        auto event = structure<gsu_event>();
        while (good(gsu_unit_next_event(handle_, &event)) == 1)
            out.append(nb::make_tuple(event.kind, valuesOf(event)));
        return out;
    }

private:
    void checkFault()
    {
        const char* text = nullptr;
        if (gsu_unit_fault(handle_, nullptr, &text) == 1) raise(GSU_E_INTERNAL, text);
    }

    gsu_unit* handle_{};
};

/// Names of the operations, by number.
nb::dict operations()
{
    nb::dict out;
    for (std::uint32_t op = 1; op < 64; ++op)
        if (const char* name = gsu_op_name(op)) out[name] = op;
    return out;
}

}  // namespace

NB_MODULE(_native, m)
{
    m.attr("version") = gsu_version();
    m.attr("abi") = nb::make_tuple(gsu_abi_version() >> 16, gsu_abi_version() & 0xffff);
    m.attr("NEVER") = GSU_NEVER;
    m.attr("operations") = operations();
    nb::class_<Unit>(m, "Unit")
        .def(nb::init<const std::string&, const std::string&, const std::vector<std::string>&,
                      std::uint32_t, bool, std::uint32_t, std::uint32_t, bool, const std::string&,
                      const std::string&>())
        .def("can_present", &Unit::canPresent)
        .def("can_notify", &Unit::canNotify)
        .def("present", &Unit::present)
        .def("notify", &Unit::notify)
        .def("can_answer_cancel", &Unit::canAnswerCancel)
        .def("answer_cancel", &Unit::answerCancel)
        .def("route", &Unit::route)
        .def("grid", &Unit::grid)
        .def("launch", &Unit::launch)
        .def("exit", &Unit::exit)
        .def("stored", &Unit::stored)
        .def("epoch", &Unit::epoch)
        .def("accesses", &Unit::accesses)
        .def("word", &Unit::word)
        .def("step", &Unit::step)
        .def("now", &Unit::now)
        .def("quiet_until", &Unit::quietUntil)
        .def("skip_to", &Unit::skipTo)
        .def("open_waves", &Unit::openWaves)
        .def("close_waves", &Unit::closeWaves)
        .def("reset", &Unit::reset)
        .def("save", &Unit::save)
        .def("restore", &Unit::restore)
        .def("explain", &Unit::explain)
        .def("line", &Unit::line)
        .def("hang", &Unit::hang)
        .def("barrier", &Unit::barrier)
        .def("mbarrier", &Unit::mbarrier)
        .def("cluster", &Unit::cluster)
        .def("events", &Unit::events);
}
