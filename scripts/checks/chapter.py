"""The words of the synchronization chapter are in its table only."""
import re

from checks.common import ROOT, check, rel, tracked

# Words of the chapter that other instructions have, too: such a match elsewhere does not concern a chapter instruction.
SHARED_WORDS = set("""add sub min max and or xor inc dec popc global shared shared::cta shared::cluster local const param weak relaxed acquire release
    volatile v2 v4 v8 noftz abs NaN L2 L2::cache_hint L2::64B L2::128B L2::256B cp st tensormap tensor read mmio cta cluster gpu sys
    mbarrier::complete_tx::bytes multicast::cluster prefetch""".split())
# Files in which words of the chapter may be matched as strings: the table itself, and code for instructions outside the chapter.
CHAPTER_TABLE = {"tb/ptx/sync_form.cpp", "tb/ptx/sync_decode.cpp", "tb/ptx/sync_match.cpp"}
MAY_SPELL = {
    ("tb/exec/decode/decode_wgmma.cpp", "fence"): "wgmma.fence",
    ("tb/exec/decode/decode_wgmma.cpp", "wait_group"): "wgmma.wait_group",
    ("tb/exec/launch/launch_arrays.cpp", "init"): "key of a launch file",
    ("tb/exec/launch/launch_template.cpp", "atom"): "any access through a parameter, to guess the type of its elements",
    ("tb/exec/launch/launch_template.cpp", "red"): "likewise",
    ("tb/exec/launch/launch_file.cpp", "init"): "key of a launch file",
    ("tb/exec/launch/launch_verdict.cpp", "barrier"): "key of a launch file",
    ("tb/exec/launch/launch_verdict.cpp", "mbarrier"): "key of a launch file",
    ("tb/exec/launch/launch_verdict.cpp", "warp"): "key of a launch file",
    ("tb/ptx/check_operands.cpp", "any"): "kind of an operand",
    ("tb/ptx/parser_module.cpp", "alias"): "the directive .alias",
    ("tb/trace/instruction_text.cpp", "noComplete"): "field of a request in a trace",
    ("tb/trace/record_text.cpp", "async"): "kind of a trace record",
}


def chapter_words():
    """Opcodes, fixed words and values of placeholders in the rows of sync_ops.def, and the spellings of op_traits.def."""
    words, names = set(), set()
    for line in (ROOT / "tb/ptx/sync_ops.def").read_text().split("\n"):
        if not re.match(r"SYNC_FORM|#define", line):
            continue
        for text in re.findall(r'"([^"]*)"', line):
            if re.match(r"[a-z]+[.{ ;]", text) and text.rstrip().endswith(";"):
                words.update(w for w in re.split(r"(?<!:)[.{}](?!:)", text.split(" ")[0].rstrip(";")) if w)
            names.update(re.findall(r"\b([a-z]+)(?::[A-Z]+-\d+)?=", text))
            for values in re.findall(r"=([^ ]+)", text):
                words.update(v.strip("*~^") for v in values.split("|") if not re.match(r"[A-Z]+-\d", v))
    types = set(re.findall(r'"([a-z0-9]+)"', (ROOT / "tb/ptx/ast.cpp").read_text()))
    return {w for w in words if re.fullmatch(r"[a-z][A-Za-z0-9_:.]*", w)} - SHARED_WORDS - types - names


@check(fast=True)
def mnemonics():
    """No mnemonic or modifier of the synchronization chapter is matched as a string outside its table (tb/ptx/sync_ops.def)."""
    words, bad = chapter_words(), []
    if len(words) < 60:
        return [f"only {len(words)} words found in sync_ops.def: this check no longer reads it"]
    for path in tracked(".cpp", ".hpp"):
        name = rel(path)
        if not name.startswith(("tb/ptx/", "tb/exec/", "tb/trace/")) or name in CHAPTER_TABLE:
            continue
        for number, line in enumerate(path.read_text().split("\n"), 1):
            code = line.split("//")[0]
            for match in re.finditer(r'"([^"\s]+)"', code):
                text, before, after = match[1], code[:match.start()], code[match.end():]
                # The word is compared, searched for, or the key of a table; printing a word is not matching.
                matched = re.search(r"[=!]=\s*$|\b(has|hasAny|is|isOneOf|starts\w*|ends\w*|contains|find|count|compare)\([^)]*$|\{$", before) or \
                    re.match(r"\s*[=!]=", after)
                if matched and (name, text) not in MAY_SPELL and (text in words or "." in text and text.split(".")[0] in words):
                    bad.append(f'{name}:{number}: "{text}" belongs to the table of the chapter')
    return bad
