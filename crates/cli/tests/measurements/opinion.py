"""Reads files of TS 32.435 and TS 28.532 with ElementTree, and compares every value with the records of the product.

Usage: opinion.py RECORDS FILE..., with records as lines of JSON in the order of the files. Prints differences, and the number
of values."""

import json
import re
import sys
import xml.etree.ElementTree as tree


def local(element):
    return element.tag.rsplit("}", 1)[-1]


def children(element, name):
    return [child for child in element if local(child) == name]


def value(text):
    """Returns a value as the records have it: a number, a text, a list, or None."""
    def number(text):
        text = text.strip()
        if not text or text.upper() in ("NIL", "NAN"):
            return None
        return int(text) if re.fullmatch(r"[+-]?\d+", text) else float(text)

    text = (text or "").strip()
    try:
        if "," in text:
            return [number(part) for part in text.split(",")]
        return number(text)
    except ValueError:
        return text


def rows(path):
    with open(path, "rb") as file:
        octets = file.read()
    # Nothing may stand before the declaration.
    start = re.search(rb"<\?xml\s", octets)
    root = tree.fromstring(octets[start.start() if start else 0:])
    for data in children(root, "measData"):
        entity = next(child for child in data if local(child) in ("managedElement", "measEntity"))
        for info in children(data, "measInfo"):
            names = {kind.get("p"): kind.text.strip() for kind in children(info, "measType")}
            listed = [name for kinds in children(info, "measTypes") for name in kinds.text.split()]
            for row in children(info, "measValue"):
                found = {name: None for name in list(names.values()) + listed}
                for result in children(row, "r"):
                    found[names[result.get("p")]] = value(result.text)
                for results in children(row, "measResults"):
                    found.update(zip(listed, map(value, results.text.split())))
                suspect = any(flag.text.strip() == "true" for flag in children(row, "suspect"))
                yield entity.get("localDn"), info.get("measInfoId"), row.get("measObjLdn"), suspect, found


def plain(value):
    if value is None:
        return None
    [(kind, content)] = value.items()
    return [plain(element) for element in content] if kind == "list" else content


def main():
    with open(sys.argv[1], encoding="utf-8") as file:
        records = [json.loads(line) for line in file]
    expected = [row for path in sys.argv[2:] for row in rows(path)]
    if len(records) != len(expected):
        sys.exit(f"{len(records)} records, expected {len(expected)}")
    values = 0
    for record, (element, info, obj, suspect, found) in zip(records, expected):
        counters = {counter["name"]: plain(counter.get("value")) for counter in record["counters"]}
        ours = record.get("element"), record.get("info"), record["object"], record["suspect"], counters
        if ours != (element, info, obj, suspect, found):
            sys.exit(f"{ours}\nexpected\n{(element, info, obj, suspect, found)}")
        values += sum(len(value) if isinstance(value, list) else 1 for value in found.values())
    print(values)


main()
