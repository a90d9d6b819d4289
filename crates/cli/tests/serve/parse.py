"""Parses the metrics of a gateway as Prometheus does: prints the type, name, labels and value of each sample as JSON."""

import json
import sys

from prometheus_client.parser import text_string_to_metric_families

samples = [
    [family.type, sample.name, sample.labels, sample.value]
    for family in text_string_to_metric_families(sys.stdin.read())
    for sample in family.samples
]
json.dump(samples, sys.stdout)
