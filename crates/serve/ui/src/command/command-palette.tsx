/** The command palette (Ctrl+K, ⌘K): goes to any page, node or script, and runs an action, by the keyboard alone. */
import { type KeyboardEvent, useEffect, useId, useLayoutEffect, useMemo, useRef, useState } from "react";

import { useHasCharging } from "../accounts/presence";
import { gateway } from "../api/gateway";
import { useLive } from "../live/live";
import { type Action, offeredActions } from "../parts/actions";
import { Icon } from "../parts/icons";
import { useLoad } from "../parts/load";
import { useSession } from "../parts/session";
import { chooseTheme } from "../parts/theme";
import { useViews } from "../parts/views";
import { go } from "../router/router";
import { type Command, commandsOf, found, searchesFor } from "./commands";

const IS_MAC = navigator.platform.startsWith("Mac");

export const SHORTCUT = IS_MAC ? "⌘K" : "Ctrl K";

/** Returns whether the palette is open, and functions to open and close it. The shortcut does both. */
export function useCommandPalette(): { isOpen: boolean; open: () => void; close: () => void } {
  const [isOpen, setOpen] = useState(false);
  useEffect(() => {
    const keys = (event: globalThis.KeyboardEvent) => {
      const isShortcut = event.key.toLowerCase() === "k" && (IS_MAC ? event.metaKey : event.ctrlKey);
      // The editor of scripts has shortcuts that begin with the same key: it prevents the default.
      if (!isShortcut || event.shiftKey || event.altKey || event.defaultPrevented) return;
      event.preventDefault();
      // Another dialog expects an answer first.
      if (document.querySelector("dialog[open]:not(.command)") === null) setOpen((before) => !before);
    };
    document.addEventListener("keydown", keys);
    return () => document.removeEventListener("keydown", keys);
  }, []);
  return { isOpen, open: () => setOpen(true), close: () => setOpen(false) };
}

export function CommandPalette({ onClose }: { onClose: () => void }) {
  const { session, leave } = useSession();
  const graph = useLive((live) => live.graph);
  const hasCharging = useHasCharging();
  const scripts = useLoad(gateway.scripts, []).value?.scripts;
  const [typed, setTyped] = useState("");
  const [at, setAt] = useState(0);
  const [actions] = useState(offeredActions);
  const [views] = useViews(session.name);
  const dialog = useRef<HTMLDialogElement>(null);
  const list = useRef<HTMLUListElement>(null);
  const id = useId();
  const all = useMemo(
    () => [
      ...commandsOf({
        role: session.role,
        hasCharging,
        graph,
        scripts: scripts?.map(({ file }) => file) ?? [],
        actions,
        views,
      }),
      ...general(leave),
    ],
    [session.role, hasCharging, graph, scripts, actions, views, leave],
  );
  const shown = [...found(all, typed), ...searchesFor(typed, { hasCharging, graph })];
  // Closed before it is removed, so that the focus returns to where it was.
  useLayoutEffect(() => {
    const element = dialog.current;
    if (element?.open === false) element.showModal();
    return () => element?.close();
  }, []);
  useEffect(() => {
    list.current?.children[at]?.scrollIntoView({ block: "nearest" });
  }, [at]);
  const run = (command: Command | undefined) => {
    if (command === undefined) return;
    onClose();
    const { does } = command;
    // After the palette is closed, because an action may open a dialog.
    if (typeof does === "string") go(does);
    else setTimeout(does);
  };
  const keys = (event: KeyboardEvent) => {
    const step = STEPS[event.key];
    if (step !== undefined) setAt(Math.max(0, Math.min(at + step, shown.length - 1)));
    else if (event.key === "Enter" && !event.nativeEvent.isComposing) run(shown[at]);
    else return;
    event.preventDefault();
  };
  return (
    <dialog
      ref={dialog}
      className="dialog command"
      aria-label="Command palette"
      onCancel={(event) => {
        event.preventDefault();
        onClose();
      }}
      // A click outside of the content is one on the dialog itself.
      onClick={(event) => event.target === dialog.current && onClose()}
    >
      <div className="command-field">
        <Icon name="search" />
        <input
          type="text"
          role="combobox"
          aria-label="Page, node, script or action"
          aria-expanded={true}
          aria-controls={`${id}-list`}
          aria-autocomplete="list"
          aria-activedescendant={shown.length > 0 ? `${id}-${at}` : undefined}
          placeholder="Go to a page, node or script; run an action"
          autoComplete="off"
          spellCheck={false}
          value={typed}
          onChange={(event) => {
            setTyped(event.target.value);
            setAt(0);
          }}
          onKeyDown={keys}
        />
      </div>
      <ul id={`${id}-list`} ref={list} className="command-list" role="listbox" aria-label="Commands">
        {shown.map(({ key, name, kind, icon }, place) => (
          <li
            key={key}
            id={`${id}-${place}`}
            role="option"
            aria-selected={place === at}
            onMouseMove={() => setAt(place)}
            onClick={() => run(shown[place])}
          >
            <Icon name={icon} size={16} />
            <span className="command-name">{name}</span> <span className="muted">{kind}</span>
          </li>
        ))}
      </ul>
      <p className="command-help muted" aria-hidden="true">
        ↑ ↓ choose · Enter open · Esc close
      </p>
      <span className="unseen" role="status">
        {typed === "" ? "" : `${shown.length} found`}
      </span>
    </dialog>
  );
}

const STEPS: Record<string, number> = { ArrowDown: 1, ArrowUp: -1, PageDown: 10, PageUp: -10 };

/** The commands that every page has. */
function general(leave: Action["run"]): Command[] {
  const command = (name: string, icon: Command["icon"], does: Command["does"], alias = ""): Command => ({
    key: name,
    name,
    kind: "General",
    icon,
    does,
    alias,
  });
  return [
    command("Account and password", "people", "/account"),
    command("Colours: light", "light", () => chooseTheme("light"), "theme"),
    command("Colours: dark", "dark", () => chooseTheme("dark"), "theme night"),
    command("Colours: as the system", "system", () => chooseTheme("system"), "theme"),
    command("Log out", "leave", leave),
  ];
}
