"""The fewest digits that a live R shares with its records, by R function and part of the answer.

`python -m tests.bridge.records.observed` asks the R that is here every recorded call that it can answer, and prints
a line for each part of an answer that is not the same to the last bit: what `drift_floors.toml` has as `observed`.
"""

from __future__ import annotations

from pathlib import Path

from pairproof.bridge.process.session import session
from pairproof.bridge.records.drift import drift, matters, part_of
from pairproof.bridge.records.record_files import PACKAGED, read_record, scrubbed


def main() -> None:
    r = session()
    least: dict[tuple[str, str], tuple[float, str]] = {}
    asked = 0
    for path in sorted(Path(PACKAGED).glob("*.json")):
        record = read_record(path)
        if record.call is None or r.missing(record.call.needs):
            continue
        asked += 1
        for d in drift(record.answer, scrubbed(r.answer(record.call), r.places()), record.name):
            if not matters([d], 99.0):
                continue
            digits = -1.0 if d.digits is None else d.digits
            key = (record.name, part_of(d.field))
            least[key] = min(least.get(key, (99.0, "")), (digits, f"{path.stem[-16:]} {d}"))
    info = r.info()
    print(f"R {info.r_version}, {info.blas}, {asked} calls asked")
    for (name, part), (digits, where) in sorted(least.items()):
        print(f"{digits:5.1f}  {name}  {part}  {where[:300]}", flush=True)


if __name__ == "__main__":
    main()
