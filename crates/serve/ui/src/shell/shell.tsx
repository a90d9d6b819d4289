/** The frame around every page. In a narrow window, the navigation is behind a button. */
import { type ReactNode, useEffect, useRef, useState } from "react";

import { CommandPalette, SHORTCUT, useCommandPalette } from "../command/command-palette";
import { useLive } from "../live/live";
import { Icon } from "../parts/icons";
import { useIsNarrow } from "../parts/media";
import { Notices } from "../parts/notices";
import { Link, useAddress } from "../router/router";
import { Navigation } from "./navigation";
import { Person } from "./person";
import { Standing } from "./standing";

export function Shell({ children }: { children: ReactNode }) {
  const isNarrow = useIsNarrow();
  const isConnected = useLive((live) => live.isConnected);
  const main = useRef<HTMLElement>(null);
  const { path } = useAddress();
  const palette = useCommandPalette();
  const isFirst = useRef(true);
  useEffect(() => {
    // On a new page the focus moves to its content. On the first page the browser decides.
    if (!isFirst.current) main.current?.focus({ preventScroll: true });
    isFirst.current = false;
    main.current?.scrollTo({ top: 0 });
  }, [path]);
  return (
    <div className={isConnected ? "shell" : "shell shell-stale"}>
      <a className="skip" href="#main">
        To the page
      </a>
      {isNarrow ? (
        <Drawer onCommand={palette.open} />
      ) : (
        <aside className="side" aria-label="Navigation">
          <Brand />
          <button type="button" className="button command-open" onClick={palette.open}>
            <Icon name="search" size={16} />
            Go to…
            <kbd>{SHORTCUT}</kbd>
          </button>
          <Navigation />
          <Person />
        </aside>
      )}
      <Standing />
      {/* With `tabIndex`, the keyboard can scroll a long page that has nothing to focus. */}
      <main id="main" className="main" ref={main} tabIndex={0}>
        {children}
      </main>
      <Notices />
      {palette.isOpen && <CommandPalette onClose={palette.close} />}
    </div>
  );
}

function Brand() {
  return (
    <Link href="/graph" className="brand">
      <img src="/tollgate.svg" alt="" width={24} height={24} />
      Tollgate
    </Link>
  );
}

function Drawer({ onCommand }: { onCommand: () => void }) {
  const [isOpen, setOpen] = useState(false);
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    if (isOpen) dialog.current?.showModal();
    else dialog.current?.close();
  }, [isOpen]);
  const close = () => setOpen(false);
  return (
    <header className="bar">
      <button
        type="button"
        className="button button-quiet"
        aria-label="Menu"
        aria-expanded={isOpen}
        onClick={() => setOpen(true)}
      >
        <Icon name="menu" />
      </button>
      <Brand />
      <button type="button" className="button button-quiet" aria-label="Go to…" onClick={onCommand}>
        <Icon name="search" />
      </button>
      <dialog ref={dialog} className="drawer" aria-label="Menu" onClose={close}>
        {isOpen && (
          <>
            <div className="bar">
              <button type="button" className="button button-quiet" aria-label="Close the menu" onClick={close}>
                <Icon name="close" />
              </button>
              <Brand />
            </div>
            <Navigation onChosen={close} />
            <Person onChosen={close} />
          </>
        )}
      </dialog>
    </header>
  );
}
