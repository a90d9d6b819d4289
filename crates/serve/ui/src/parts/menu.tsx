/** A button that opens a panel below it. Escape, a click elsewhere and the focus elsewhere close the panel. */
import { type ReactNode, useEffect, useId, useRef, useState } from "react";

import { Icon, type IconName } from "./icons";

interface MenuProps {
  label: string;
  icon: IconName;
  isDisabled?: boolean;
  children: (close: () => void) => ReactNode;
}

export function Menu({ label, icon, isDisabled = false, children }: MenuProps) {
  const [isOpen, setOpen] = useState(false);
  const frame = useRef<HTMLDivElement>(null);
  const button = useRef<HTMLButtonElement>(null);
  const id = useId();
  useEffect(() => {
    if (!isOpen) return;
    const elsewhere = (event: Event) => {
      if (!frame.current?.contains(event.target as Node)) setOpen(false);
    };
    document.addEventListener("pointerdown", elsewhere);
    document.addEventListener("focusin", elsewhere);
    return () => {
      document.removeEventListener("pointerdown", elsewhere);
      document.removeEventListener("focusin", elsewhere);
    };
  }, [isOpen]);
  const close = () => {
    setOpen(false);
    button.current?.focus();
  };
  return (
    <div
      ref={frame}
      className="menu"
      onKeyDown={(event) => {
        if (event.key !== "Escape" || !isOpen) return;
        event.stopPropagation();
        close();
      }}
    >
      <button
        ref={button}
        type="button"
        className="button"
        aria-expanded={isOpen}
        aria-controls={id}
        disabled={isDisabled}
        onClick={() => setOpen(!isOpen)}
      >
        <Icon name={icon} size={16} />
        {label}
      </button>
      <div id={id} className="menu-panel" role="group" aria-label={label} hidden={!isOpen}>
        {isOpen && children(close)}
      </div>
    </div>
  );
}
