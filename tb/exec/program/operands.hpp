/// Operands that only one family of micro-operations has (MicroOp): decoded qualifiers, at most four bytes each.
#pragma once
#include <cstdint>

#include "ptx/ast.hpp"

namespace gsu {
enum class MapMode : std::uint8_t;  // exec/tensormap/tensor_map.hpp
}

namespace gsu::exec {

enum class Round : std::uint8_t;        // exec/tensor/half.hpp
enum class AtomOp : std::uint8_t;       // exec/alu/atomic.hpp
enum class BoolOp : std::uint8_t;       // exec/alu/alu.hpp
enum class CompareOp : std::uint8_t;    // likewise
enum class MatrixForm : std::uint8_t;   // exec/ops/mma_ops.hpp
enum class ShflMode : std::uint8_t;     // exec/lanes/shuffle.hpp
enum class TensorField : std::uint8_t;  // exec/ops/tensor_ops.hpp

/// Floating-point operations: add, min, neg, rcp, ...
struct FloatOperands {
    Round round;
    std::uint8_t flags;    ///< kFtz and so on of exec/alu/alu.hpp
    std::uint8_t variant;  ///< 1: max rather than min, neg rather than abs; 2: copysign
};

/// cvt. `extra`: source and target types.
struct ConvertOperands {
    Round round;
    std::uint8_t flags;  ///< as of FloatOperands
    bool integral;       ///< to an integral value
    std::uint8_t width;  ///< of the destination register, in bytes: integers are extended to it
};

/// cvt.pack.
struct PackOperands {
    std::uint8_t bits;
    bool isSigned;
};

/// setp and set, combined with the predicate pa.
struct CompareOperands {
    CompareOp how;
    std::uint8_t flags;  ///< kFtz
    BoolOp combine;
    enum class Result : std::uint8_t {
        Predicates,  ///< pd, and its opposite pq
        Value,       ///< `offset` or 0 in d
        Halves       ///< halves of it, for two packed results
    } result;
};

/// and, or, xor, not and mov of predicates.
enum class PredicateLogic : std::uint8_t { And, Or, Xor, Not, Copy };

/// lop3: the predicate pd, if there is one, is (result != 0) combined with pa.
struct LookUpOperands {
    std::uint8_t table;
    BoolOp combine;
};

enum class PermuteMode : std::uint8_t { Generic, F4e, B4e, Rc8, Ecl, Ecr, Rc16 };

/// bmsk and szext.
struct MaskOperands {
    bool makes;     ///< bmsk
    bool wraps;     ///< wraps, not clamps
    bool isSigned;  ///< of szext
};

/// Operands of dp4a and dp2a.
struct DotOperands {
    bool signedA, signedB;
    enum class Parts : std::uint8_t { Bytes, Low, High } parts;  ///< Low, High: of dp2a
};

/// shf.
struct FunnelOperands {
    bool left, clamps;
};

/// slct: the sign that selects.
struct SelectOperands {
    bool real, flushes;
};

/// testp.
enum class NumberKind : std::uint8_t { Finite, Infinite, Number, NotANumber, Normal, Subnormal };
struct TestOperands {
    NumberKind kind;
    bool wide;  ///< f64
};

enum class VideoOp : std::uint8_t { Add, Sub, AbsDiff, Min, Max, Avrg, Set, Shl, Shr, Mad };
enum class VideoSecond : std::uint8_t { None, Add, Min, Max };
/// `extra`: selectors of a (from bit 0) and b (from bit 16); `target`: comparison of Set, right shift of Mad.
struct VideoOperands {
    VideoOp what;
    std::uint8_t flags;  ///< of decode_video.cpp
    VideoSecond second : 4;
    std::uint8_t written : 4;  ///< of d: a mask of lanes, or a selector
    std::uint8_t parts;        ///< lanes of a register: 1, 2, 4
};

/// ld.
struct LoadOperands {
    bool isSigned;
    std::uint8_t width;  ///< of the destination registers, in bytes
};

/// atom and red: rows[list..) the sources, then what compare-and-swap stores.
struct AtomOperands {
    AtomOp kind;
    ptx::Type type;
    bool red;     ///< without a result
    bool hinted;  ///< .L2::cache_hint
};

/// red.async.release and st.async.release, as an exchange.
struct ReleaseOperands {
    AtomOp kind;
    ptx::Type type;
    bool stores;
};

/// multimem.
struct MultimemOperands {
    AtomOp kind;
    ptx::Type type;
    bool wide;  ///< halves are summed in f32
};

/// ldmatrix and stmatrix.
struct MatrixOperands {
    std::uint8_t count;
    bool transposed;  ///< of 16-bit elements
    MatrixForm form;  ///< of ldmatrix with narrower ones
};

/// cp.async.
struct CopyOperands {
    std::uint8_t bytes;
    bool ignores;  ///< the source, where pa holds
};

/// shfl.
struct ShuffleOperands {
    ShflMode mode;
    bool atHand;  ///< among the executing lanes, without a member mask
};

/// Completion of a bulk copy, and its effect on the destination.
struct BulkOperands {
    bool completes;  ///< on an mbarrier; else in a bulk group
    bool fromGlobal : 1, toGlobal : 1, toCluster : 1;
    std::uint8_t reduces;  ///< 1 + AtomOp; 0: it stores
    ptx::Type type;        ///< of a reduction
};

/// Operands of cp.async.bulk.tensor and its relatives.
struct TensorOperands {
    bool completes;   ///< on an mbarrier; else in a bulk group
    bool stores : 1;  ///< to global memory
    bool rows : 1;    ///< gather4, scatter4
    bool pair : 1;    ///< cta_group::2
    MapMode mode : 4;
    std::uint8_t reduces;  ///< 1 + AtomOp; 0: it stores
    std::uint8_t coordinates;
};

/// commit_group, wait_group.
struct GroupOperands {
    bool bulk;
    bool reads;  ///< only the sources must have been read
    bool all;    ///< including the open group
};

/// clusterlaunchcontrol.query_cancel.get_first_ctaid: one dimension, into d, or all, into rows[list..).
enum class CtaidPart : std::uint8_t { X, Y, Z, All };

/// Operands of ld and st, wait and fence of tcgen05.
struct Tcgen05Operands {
    bool stores;
    bool before;  ///< fence::before_thread_sync
};

}  // namespace gsu::exec
