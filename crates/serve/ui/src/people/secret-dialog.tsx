/** A secret that is shown only once: a link or a token. */
import { useRef, useState } from "react";

import { Dialog } from "../parts/dialog";
import { Icon } from "../parts/icons";

interface SecretProps {
  title: string;
  label: string;
  secret: string;
  help: string;
  onClose: () => void;
}

export function SecretDialog({ title, label, secret, help, onClose }: SecretProps) {
  const field = useRef<HTMLInputElement>(null);
  const [copied, setCopied] = useState<"no" | "yes" | "by hand">("no");
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(secret);
      setCopied("yes");
    } catch {
      // Without HTTPS, pages have no access to the clipboard: select the text so that the user can copy it.
      field.current?.select();
      setCopied("by hand");
    }
  };
  return (
    <Dialog
      title={title}
      onClose={onClose}
      actions={
        <button type="button" className="button button-main" onClick={onClose}>
          Done
        </button>
      }
    >
      <div className="field">
        <label htmlFor="secret">{label}</label>
        <div className="with-button">
          <input
            id="secret"
            ref={field}
            className="fixed"
            readOnly
            value={secret}
            onFocus={(event) => event.target.select()}
          />
          <button type="button" className="button" onClick={copy}>
            <Icon name="copy" size={16} />
            Copy
          </button>
        </div>
        <p className="help" role="status">
          {copied === "yes"
            ? "Copied."
            : copied === "by hand"
              ? "It is chosen: copy it with Ctrl+C."
              : "It is shown once, now."}
        </p>
      </div>
      <p>{help}</p>
    </Dialog>
  );
}
