/** A modal dialog. The browser's own element keeps the focus within it, and Escape closes it. */
import { type FormEvent, type ReactNode, useId, useLayoutEffect, useRef } from "react";

import type { Refusal } from "../api/client";
import { Failure } from "./failure";
import { Icon } from "./icons";

interface DialogProps {
  title: string;
  onClose: () => void;
  children: ReactNode;
  /** The buttons at the end. */
  actions?: ReactNode;
  onSubmit?: () => void;
  problem?: Refusal | null;
  width?: "narrow" | "wide";
}

export function Dialog({ title, onClose, children, actions, onSubmit, problem, width = "narrow" }: DialogProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  const heading = useId();
  // Close it before it is removed: a dialog that closes returns the focus to where it was.
  useLayoutEffect(() => {
    const shown = dialog.current;
    if (shown !== null && !shown.open) {
      shown.showModal();
      // By default the browser focuses the first button, which closes the dialog.
      const field = ".dialog-body :is(input, select, textarea):enabled";
      const first = shown.querySelector<HTMLElement>(`${field}[data-first]`) ?? shown.querySelector<HTMLElement>(field);
      first?.focus();
    }
    return () => shown?.close();
  }, []);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    onSubmit?.();
  };
  return (
    <dialog
      ref={dialog}
      className={`dialog dialog-${width}`}
      aria-labelledby={heading}
      onCancel={(event) => {
        event.preventDefault();
        onClose();
      }}
    >
      <form onSubmit={submit}>
        <header className="dialog-head">
          <h2 id={heading}>{title}</h2>
          <button type="button" className="button button-quiet" aria-label="Close" onClick={onClose}>
            <Icon name="close" />
          </button>
        </header>
        <div className="dialog-body">
          {children}
          {problem != null && <Failure problem={problem} />}
        </div>
        {actions !== undefined && <footer className="dialog-actions">{actions}</footer>}
      </form>
    </dialog>
  );
}
