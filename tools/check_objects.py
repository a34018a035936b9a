#!/usr/bin/env python3
"""Code for one instruction set stays in its own namespace.  check_objects.py BUILD_FOLDER

A kernel is compiled for processors that this machine may not be. A weak symbol that it shares with
other files (an inline function that was not inlined) may be the copy that the linker gives to all of
them, and then crashes an older processor. So: in objects of padless/kernels no weak symbol outside
the namespaces N_<TARGET>, and no symbol of the standard library at all, defined or called.
"""

import re
import subprocess
import sys
from pathlib import Path

from checklib import ROOT, end, expect

# For every machine: compiled without a target's options, they may use the standard library.
FOR_ALL = {"scalar.cpp", "dispatch.cpp"}

SPECIAL = re.compile(r"_Z(?:Z|GV|T[VTISCH])?")
STANDARD = re.compile(r"_Z(?:Z|GV|T[VTISC])?N?[VKRO]*(?:St|S[absiod]|9__gnu_cxx|10__cxxabiv1)")


def namespaces(symbol: str) -> list[str]:
    """The leading names of a mangled nested name: _ZN3hwy6N_AVX24LoadE is hwy, N_AVX2, Load.

    Template arguments come later in the mangled name and do not count: std::max of a type from
    N_AVX2 is the standard library's.
    """
    start = SPECIAL.match(symbol)
    rest = symbol[start.end():] if start else ""
    nested = re.match(r"N[VKRO]*", rest)
    if not nested:
        return []
    rest, names = rest[nested.end():], []
    while length := re.match(r"\d+", rest):
        end_of_name = length.end() + int(length[0])
        names.append(rest[length.end():end_of_name])
        rest = rest[end_of_name:]
    return names


def fault_of(kind: str, symbol: str) -> str | None:
    """What is wrong with a line of nm's, given as its letter and its mangled name."""
    if STANDARD.match(symbol):
        return "a symbol of the standard library"
    if kind in "WwVvu" and not any(re.fullmatch(r"N_[A-Z0-9_]+", name) for name in namespaces(symbol)):
        return "a weak symbol outside N_<TARGET>"
    return None


def find_faults(name: str, listing: str) -> list[str]:
    """`listing` is what `nm --format=posix` prints: name, letter, value, size."""
    faults = []
    for line in listing.splitlines():
        symbol, kind = line.split()[:2]
        if fault := fault_of(kind, symbol):
            faults.append(f"{name}: {symbol} ({kind}) is {fault}")
    return faults


def kernel_sources() -> list[str]:
    """Names of the sources in padless/kernels that are for one instruction set."""
    return sorted(path.name for path in (ROOT / "padless/kernels").glob("*.cpp")
                  if not path.name.endswith(("_test.cpp", "_bench.cpp")) and path.name not in FOR_ALL)


def self_test() -> None:
    def faults(line: str) -> list[str]:
        return find_faults("gemm.cpp", line)

    expect("its own function", faults("_ZN7padless7kernels6N_AVX24gemmEPKfm T 0 10"))
    expect("Highway's, weak", faults("_ZN3hwy6N_AVX34LoadINS0_4SimdEEEDaT_PKf W 0 10"))
    expect("a static local of it", faults("_ZZN7padless6N_AVX24gemmEvE5table V 0 10"))
    expect("C's memset", faults("memset U"))
    expect("std::max, weak", faults("_ZSt3maxIfERKT_S2_S2_ W 0 10"), "standard")
    expect("std::max of its own type", faults("_ZSt3maxIN3hwy6N_AVX21VEERKT_S4_S4_ W 0 10"), "standard")
    expect("vector's destructor, called", faults("_ZNSt6vectorIfSaIfEED1Ev U"), "standard")
    expect("a const member of string", faults("_ZNKSs4sizeEv U"), "standard")
    expect("shared inline", faults("_ZN7padless7kernels5roundIN3hwy6N_AVX21VEEEvT_ W 0 10"), "weak")
    expect("shared, not nested", faults("_Z5roundf W 0 10"), "weak")
    expect("shared data", faults("_ZN7padless5tableE V 0 10"), "weak")


if __name__ == "__main__":
    if sys.argv[1:] == ["--self-test"]:
        self_test()
    else:
        found = []
        sources = kernel_sources()
        built = [path for path in Path(sys.argv[1]).rglob("*.cpp.o") if "kernels" in path.parts]
        for source in sources:
            objects = [path for path in built if path.name == source + ".o"]
            if not objects:
                found.append(f"padless/kernels/{source}: there is no object of it in {sys.argv[1]}")
            for path in objects:
                nm = subprocess.run(["nm", "--format=posix", path],
                                    capture_output=True, text=True, check=True)
                found += find_faults(source, nm.stdout)
        end("check_objects", found, len(sources), at_least=0)
