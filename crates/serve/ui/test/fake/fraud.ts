/** What rules have found, in the pretended gateway. */
import type { FraudAlert } from "../../src/api/types.ts";
import type { At } from "./time.ts";

export function fraudAlerts(at: At): FraudAlert[] {
  const alert = (id: number, minutes: number, rule: string, key: string, more: Partial<FraudAlert>): FraudAlert => ({
    id,
    digest: id.toString(16).padStart(32, "0"),
    node: "calls",
    rule,
    rule_version: "5f1c0a7be24d9903",
    subject: "caller",
    key,
    at: at(minutes),
    score: 70,
    condition: "numbers 40 >= 40 && short 40 * 10 >= calls 40 * 9",
    job: 10_432,
    network_element: "msc-boston",
    file: "boston-10432.ber",
    record: 15,
    evidence: [],
    severity: "warning",
    fraud_type: null,
    case: null,
    shadow: false,
    ...more,
  });
  return [
    alert(3, 4, "wangiri", "0099000001\u202e", {
      evidence: [
        { job: 10_430, network_element: "msc-boston", file: "boston-10430.ber", record: 7 },
        { job: 17, network_element: null, file: null, record: 3 },
        { job: 10_432, network_element: "msc-boston", file: "boston-10432.ber", record: 15 },
      ],
    }),
    alert(2, 90, "same-number-twice", "0000021712>0000000047", {
      subject: "pair",
      score: 60,
      condition: "events 2 >= 2",
    }),
    alert(1, 60 * 24 * 40, "wangiri", "0099000000", { network_element: null, file: null, job: 17, record: 3 }),
  ];
}
