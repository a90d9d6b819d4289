/** A form for the price of a call, which shows each step of the calculation. */
import { type FormEvent, useState } from "react";

import { gateway } from "../api/gateway";
import type { TariffDraft, TariffExplained, TariffUsage, TariffVersion } from "../api/types";
import { Failure } from "../parts/failure";
import { SelectField, TextField } from "../parts/field";
import { useDeed } from "../parts/load";
import { count } from "../parts/numbers";
import { type Column, Table } from "../parts/table";
import { Link } from "../router/router";
import { tableAddress } from "./tariffs-page";

/** The fields of the form. For the gateway, an empty field is as good as none. */
const EMPTY = {
  service: "",
  from: "",
  to: "",
  subscriber: "",
  partner: "",
  start: "",
  duration: "",
  octets: "",
} satisfies Omit<TariffUsage, "plan">;

const FIELDS: [keyof typeof EMPTY, string, string][] = [
  ["service", "Service", "by the names of the plan"],
  ["from", "From", "the number whose usage it is"],
  ["to", "To", "the other number"],
  ["start", "Start", "with a zone: 2026-06-01 18:59:30 Europe/Stockholm"],
  ["duration", "Duration", "60 (seconds), 3 min"],
  ["octets", "Octets", "1000, 250 MB"],
  ["subscriber", "Subscriber", "where the number does not tell it"],
  ["partner", "Partner", "the network roamed in"],
];

interface CallProps {
  plan: string;
  hasTables: boolean;
  /** The services in the plan, as far as they are known. */
  services?: string[];
  /** The versions to choose from, instead of the one that is valid at the start of the call. */
  versions?: TariffVersion[];
  /** The draft to price by. It replaces the choice of a version. */
  draft?: TariffDraft;
}

export function CallForm({ plan, hasTables, services = [], versions = [], draft }: CallProps) {
  const [usage, setUsage] = useState({ ...EMPTY, service: services[0] ?? "telephony" });
  const [version, setVersion] = useState("");
  const [explained, setExplained] = useState<TariffExplained | null>(null);
  const deed = useDeed();
  const chosen = version === "" ? undefined : { based_on: Number(version), files: {} };
  const by = draft ?? chosen;
  const ask = (event: FormEvent) => {
    event.preventDefault();
    void deed.run(async () => setExplained(await gateway.explain({ plan, ...usage, ...(by && { draft: by }) })));
  };
  return (
    <>
      <form className="call-form" onSubmit={ask} aria-label={`What a call costs by ${plan}`}>
        {FIELDS.map(([key, label, help]) => (
          <TextField
            key={key}
            label={label}
            help={key === "service" && services.length > 0 ? `of the plan: ${services.join(", ")}` : help}
            known={key === "service" ? services : []}
            value={usage[key]}
            isRequired={key === "start"}
            onValue={(value) => setUsage((before) => ({ ...before, [key]: value }))}
          />
        ))}
        {versions.length > 1 && (
          <SelectField label="Priced by" value={version} onValue={setVersion} help="to see what another would say">
            <option value="">The version valid when it starts</option>
            {versions.map((each) => (
              <option key={each.version} value={each.version}>
                Version {each.version}, {each.name}
              </option>
            ))}
          </SelectField>
        )}
        <p className="actions">
          <button type="submit" className="button button-main" disabled={deed.isBusy}>
            What does it cost?
          </button>
        </p>
      </form>
      {deed.problem !== null && <Failure problem={deed.problem} />}
      {explained !== null && deed.problem === null && (
        <Explained plan={plan} explained={explained} hasTables={hasTables} />
      )}
    </>
  );
}

function Explained({ plan, explained, hasTables }: { plan: string; explained: TariffExplained; hasTables: boolean }) {
  const { price, problem } = explained;
  const columns: Column<TariffExplained["steps"][number]>[] = [
    { name: "Step", cell: (step) => <span className="whole">{step.step}</span> },
    { name: "What it found", isWide: true, cell: (step) => step.found },
    {
      name: "Says",
      cell: ({ file, line }) => {
        if (file == null || line == null) return null;
        const words = `${file}, line ${line}`;
        return hasTables ? (
          <Link className="whole" href={tableAddress(`${plan.replace(/\/+$/, "")}/${file}`, line)}>
            {words}
          </Link>
        ) : (
          words
        );
      },
    },
  ];
  return (
    <section className="section" aria-label="The price, explained">
      {price != null && (
        <p role="status" className="price">
          <strong>
            {price.total} {price.currency}
          </strong>
          , {price.tax} {price.currency} of it tax; class {price.class}, {count(price.counted)} {price.unit} counted
          {price.free > 0 && `, ${count(price.free)} of them paid by bundles`}
        </p>
      )}
      {problem != null && (
        <p role="status" className="remark">
          {problem}
        </p>
      )}
      <Table
        label="Steps to the price"
        columns={columns}
        rows={explained.steps.map((step, place) => ({ ...step, place }))}
        rowKey={(step) => (step as unknown as { place: number }).place}
      />
    </section>
  );
}
