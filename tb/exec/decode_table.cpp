// Which handler decodes which opcode.
#include "exec/decoder.hpp"

namespace gsu::exec {

const std::unordered_map<std::string_view, Decoder::Handler>& Decoder::handlers()
{
    using D = Decoder;
    static const std::unordered_map<std::string_view, Handler> table{
        {"add", &D::arith},
        {"sub", &D::arith},
        {"addc", &D::arith},
        {"subc", &D::arith},
        {"div", &D::arith},
        {"rem", &D::arith},
        {"min", &D::arith},
        {"max", &D::arith},
        {"abs", &D::arith},
        {"neg", &D::arith},
        {"fma", &D::arith},
        {"sad", &D::arith},
        {"rcp", &D::arith},
        {"sqrt", &D::arith},
        {"rsqrt", &D::arith},
        {"sin", &D::arith},
        {"cos", &D::arith},
        {"lg2", &D::arith},
        {"ex2", &D::arith},
        {"tanh", &D::arith},
        {"copysign", &D::arith},
        {"mul", &D::multiply},
        {"mad", &D::multiply},
        {"madc", &D::multiply},
        {"mul24", &D::multiply},
        {"mad24", &D::multiply},
        {"and", &D::logic},
        {"or", &D::logic},
        {"xor", &D::logic},
        {"not", &D::logic},
        {"cnot", &D::logic},
        {"shl", &D::logic},
        {"shr", &D::logic},
        {"popc", &D::logic},
        {"clz", &D::logic},
        {"brev", &D::logic},
        {"bfind", &D::logic},
        {"bfe", &D::bitField},
        {"bfi", &D::bitField},
        {"prmt", &D::bitField},
        {"lop3", &D::bitField},
        {"szext", &D::bitField},
        {"bmsk", &D::bitField},
        {"dp4a", &D::bitField},
        {"dp2a", &D::bitField},
        {"fns", &D::bitField},
        {"shf", &D::shiftFunnel},
        {"selp", &D::selectOp},
        {"slct", &D::selectOp},
        {"setp", &D::setpOp},
        {"set", &D::setpOp},
        {"testp", &D::testp},
        {"cvt", &D::cvt},
        {"mov", &D::mov},
        {"cvta", &D::cvta},
        {"isspacep", &D::isspacep},
        {"mapa", &D::mapa},
        {"getctarank", &D::getctarank},
        {"ld", &D::load},
        {"ldu", &D::load},
        {"st", &D::store},
        {"atom", &D::atomic},
        {"red", &D::atomic},
        {"ldmatrix", &D::matrixMove},
        {"stmatrix", &D::matrixMove},
        {"movmatrix", &D::matrixMove},
        {"prefetch", &D::hint},
        {"prefetchu", &D::hint},
        {"applypriority", &D::hint},
        {"discard", &D::hint},
        {"createpolicy", &D::hint},
        {"fence", &D::fence},
        {"membar", &D::fence},
        {"cp", &D::cpOp},
        {"bra", &D::bra},
        {"brx", &D::brx},
        {"call", &D::callOp},
        {"ret", &D::retOp},
        {"exit", &D::exitOp},
        {"trap", &D::trapOp},
        {"brkpt", &D::trapOp},
        {"nanosleep", &D::sleepOp},
        {"setmaxnreg", &D::noEffect},
        {"pmevent", &D::noEffect},
        {"bar", &D::bar},
        {"barrier", &D::bar},
        {"mbarrier", &D::mbarrier},
        {"vote", &D::meetOp},
        {"match", &D::meetOp},
        {"redux", &D::meetOp},
        {"elect", &D::meetOp},
        {"shfl", &D::meetOp},
        {"activemask", &D::activemask},
        {"clusterlaunchcontrol", &D::launchControl},
        {"griddepcontrol", &D::gridDep}};
    return table;
}

void Decoder::checkCount() const
{
    struct Count {
        std::size_t least, most;
    };
    static const std::unordered_map<std::string_view, Count> table{
        {"add", {3, 3}},       {"sub", {3, 3}},   {"addc", {3, 3}},     {"subc", {3, 3}},
        {"div", {3, 3}},       {"rem", {3, 3}},   {"min", {3, 4}},      {"max", {3, 4}},
        {"abs", {2, 2}},       {"neg", {2, 2}},   {"fma", {4, 4}},      {"sad", {4, 4}},
        {"rcp", {2, 2}},       {"sqrt", {2, 2}},  {"rsqrt", {2, 2}},    {"sin", {2, 2}},
        {"cos", {2, 2}},       {"lg2", {2, 2}},   {"ex2", {2, 2}},      {"tanh", {2, 2}},
        {"mul", {3, 3}},       {"mad", {4, 4}},   {"copysign", {3, 3}}, {"madc", {4, 4}},
        {"mul24", {3, 3}},     {"mad24", {4, 4}}, {"and", {3, 3}},      {"or", {3, 3}},
        {"xor", {3, 3}},       {"not", {2, 2}},   {"cnot", {2, 2}},     {"shl", {3, 3}},
        {"shr", {3, 3}},       {"popc", {2, 2}},  {"clz", {2, 2}},      {"brev", {2, 2}},
        {"bfind", {2, 2}},     {"bfe", {4, 4}},   {"bfi", {5, 5}},      {"prmt", {4, 4}},
        {"lop3", {5, 6}},      {"szext", {3, 3}}, {"bmsk", {3, 3}},     {"dp4a", {4, 4}},
        {"dp2a", {4, 4}},      {"fns", {4, 4}},   {"shf", {4, 4}},      {"selp", {4, 4}},
        {"slct", {4, 4}},      {"setp", {3, 4}},  {"set", {3, 4}},      {"testp", {2, 2}},
        {"mov", {2, 2}},       {"cvta", {2, 2}},  {"isspacep", {2, 2}}, {"mapa", {3, 3}},
        {"getctarank", {2, 2}}};
    const auto found = table.find(in_->opcode);
    if (found == table.end()) return;
    if (operands() < found->second.least) unsupported("too few operands");
    if (operands() > found->second.most) unsupported("too many operands");
}

}  // namespace gsu::exec
