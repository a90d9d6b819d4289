/** Saves the messages that are shown as a file, for other programs. */
import { Refusal } from "../api/client";
import { gateway } from "../api/gateway";
import type { MessageFile } from "../api/types";
import { useOffer } from "../parts/actions";
import { save } from "../parts/export";
import { Failure } from "../parts/failure";
import { Icon } from "../parts/icons";
import { useDeed } from "../parts/load";
import { type MessageFilter, octetsOf } from "./messages";

const FILES: { form: MessageFile; name: string; type: string }[] = [
  { form: "pcapng", name: "Download for Wireshark", type: "application/octet-stream" },
  { form: "xml", name: "Download XML", type: "application/xml" },
];

export function MessageFiles({ filter, isEmpty }: { filter: MessageFilter; isEmpty: boolean }) {
  const { isBusy, problem, run } = useDeed();
  const files = FILES.map(({ form, name, type }) => ({
    name,
    isDisabled: isEmpty || isBusy,
    run: () =>
      run(async () => {
        const { file } = await gateway.messages({ ...filter, file: form });
        if (file == null) throw new Refusal(0, "The charging system has made no file.");
        save(`tollgate-messages.${form}`, type, octetsOf(file));
      }),
  }));
  useOffer(files);
  return (
    <>
      {files.map(({ name, isDisabled, run }) => (
        <button key={name} type="button" className="button" disabled={isDisabled} onClick={run}>
          <Icon name="export" size={16} />
          {name}
        </button>
      ))}
      {problem !== null && <Failure problem={problem} />}
    </>
  );
}
