// Which handler decodes which opcode outside the chapter (that is Decoder::chapter).
#include <fmt/format.h>

#include "exec/decode/decoder.hpp"
#include "exec/tmem/rule.hpp"

namespace gsu::exec {

// long: a table, one opcode a line
const std::unordered_map<std::string_view, Decoder::Handler>& Decoder::handlers()
{
    using D = Decoder;
    static const std::unordered_map<std::string_view, Handler> table{{"add", &D::arith},
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
                                                                     {"vadd", &D::videoOp},
                                                                     {"vsub", &D::videoOp},
                                                                     {"vabsdiff", &D::videoOp},
                                                                     {"vmin", &D::videoOp},
                                                                     {"vmax", &D::videoOp},
                                                                     {"vset", &D::videoOp},
                                                                     {"vshl", &D::videoOp},
                                                                     {"vshr", &D::videoOp},
                                                                     {"vmad", &D::videoOp},
                                                                     {"vadd2", &D::videoOp},
                                                                     {"vadd4", &D::videoOp},
                                                                     {"vsub2", &D::videoOp},
                                                                     {"vsub4", &D::videoOp},
                                                                     {"vabsdiff2", &D::videoOp},
                                                                     {"vabsdiff4", &D::videoOp},
                                                                     {"vmin2", &D::videoOp},
                                                                     {"vmin4", &D::videoOp},
                                                                     {"vmax2", &D::videoOp},
                                                                     {"vmax4", &D::videoOp},
                                                                     {"vavrg2", &D::videoOp},
                                                                     {"vavrg4", &D::videoOp},
                                                                     {"vset2", &D::videoOp},
                                                                     {"vset4", &D::videoOp},
                                                                     {"mov", &D::mov},
                                                                     {"cvta", &D::cvta},
                                                                     {"isspacep", &D::isspacep},
                                                                     {"getctarank", &D::getctarank},
                                                                     {"ld", &D::load},
                                                                     {"ldu", &D::load},
                                                                     {"st", &D::store},
                                                                     {"multimem", &D::multimem},
                                                                     {"ldmatrix", &D::matrixMove},
                                                                     {"stmatrix", &D::matrixMove},
                                                                     {"movmatrix", &D::matrixMove},
                                                                     {"mma", &D::mma},
                                                                     {"wmma", &D::wmma},
                                                                     {"prefetch", &D::hint},
                                                                     {"prefetchu", &D::hint},
                                                                     {"applypriority", &D::hint},
                                                                     {"discard", &D::hint},
                                                                     {"createpolicy", &D::hint},
                                                                     {"cp", &D::cpTensor},
                                                                     {"tensormap", &D::tensormap},
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
                                                                     {"wgmma", &D::wgmma},
                                                                     {"tcgen05", &D::tcgen05},
                                                                     {"alloca", &D::stackOp},
                                                                     {"stacksave", &D::stackOp},
                                                                     {"stackrestore", &D::stackOp}};
    return table;
}

/// Refuses instructions that the table of forms does not have, so that no handler mistakes them for others.
void Decoder::checkForm()
{
    isa_ = &judge_.judge(*f_, *in_);
    const std::string_view opcode = in_->opcode;
    if (isa_->form == nullptr && (opcode == "mma" || opcode == "wmma" || opcode == "wgmma"))
        isa_ = &assembler_.judge(*f_, *in_);
    if (isa_->form == nullptr) unsupported(isa_->problem);
    if (!isa_->form->executed) unsupported("");
}

}  // namespace gsu::exec
