/** Saves the file of a trace, part by part, for other programs. */
import { gateway } from "../api/gateway";
import type { MessageFile } from "../api/types";
import { save } from "../parts/export";
import { Failure } from "../parts/failure";
import { useDeed } from "../parts/load";
import { octetsOf } from "./messages";

const FILES: { form: MessageFile; name: string; type: string }[] = [
  { form: "pcapng", name: "for Wireshark", type: "application/octet-stream" },
  { form: "xml", name: "as XML", type: "application/xml" },
];

export function TraceFiles({ trace }: { trace: number }) {
  const { isBusy, problem, run } = useDeed();
  return (
    <>
      {FILES.map(({ form, name, type }) => (
        <button
          key={form}
          type="button"
          className="button"
          aria-label={`Download trace ${trace} ${name}`}
          disabled={isBusy}
          onClick={() =>
            run(async () => save(`tollgate-trace-${trace}.${form}`, type, ...(await partsOf(trace, form))))
          }
        >
          {form === "xml" ? "XML" : "Wireshark"}
        </button>
      ))}
      {problem !== null && <Failure problem={problem} />}
    </>
  );
}

async function partsOf(trace: number, form: MessageFile): Promise<Uint8Array<ArrayBuffer>[]> {
  const parts: Uint8Array<ArrayBuffer>[] = [];
  for (let from: number | null = 0; from !== null;) {
    const part = await gateway.tracePart(trace, { form, from });
    parts.push(octetsOf(part.octets));
    from = part.next ?? null;
  }
  return parts;
}
