/**
 * The differences of two texts: CodeMirror's merge view, which is loaded on demand. It is in a shadow root, like the
 * editor of scripts.
 */
import { defaultKeymap } from "@codemirror/commands";
import { type Chunk, MergeView, getChunks, unifiedMergeView } from "@codemirror/merge";
import { EditorState, type Extension, Text } from "@codemirror/state";
import { EditorView, drawSelection, keymap, lineNumbers } from "@codemirror/view";
import { useEffect, useRef, useState } from "react";

import { counted } from "../parts/numbers";
import { type Counts, countsOf } from "./chunks";
import { THEME } from "./differences-theme";

/** Bounds for texts that have little in common. Beyond them, whole stretches are shown as changed. */
const COMPARED = { scanLimit: 5_000, timeout: 500 };

/** Equal lines that are far from any change are hidden. */
const HIDDEN = { margin: 3, minSize: 4 };

interface DifferencesProps {
  before: string;
  after: string;
  names: [string, string];
  /** Whether the changes are within one text, and not side by side. */
  isUnified: boolean;
}

export function Differences({ before, after, names, isUnified }: DifferencesProps) {
  const host = useRef<HTMLDivElement>(null);
  const [counts, setCounts] = useState<Counts | null>(null);
  const [isWhole, setWhole] = useState(false);
  const [one, other] = names;
  useEffect(() => {
    const element = host.current;
    if (element === null) return;
    const root = element.shadowRoot ?? element.attachShadow({ mode: "open" });
    const sides = { one: Text.of(before.split("\n")), other: Text.of(after.split("\n")) };
    const hidden = isWhole ? {} : { collapseUnchanged: HIDDEN };
    const shown = isUnified
      ? unified(root, sides, `${other}, with what changed`, hidden)
      : beside(root, sides, names, hidden);
    setCounts(countsOf(shown.chunks, sides.one, sides.other));
    return () => shown.destroy();
  }, [before, after, one, other, isUnified, isWhole]);
  return (
    <div className="diff">
      <p className="diff-head muted">
        <span>
          {counts !== null && `${counted(counts.added, "line")} added, ${counted(counts.removed, "line")} removed`}
        </span>
        <button type="button" className="as-link" aria-pressed={isWhole} onClick={() => setWhole(!isWhole)}>
          Show all lines
        </button>
      </p>
      <div className="diff-frame" role="region" aria-label={`Differences between ${one} and ${other}`}>
        {!isUnified && (
          <div className="diff-names">
            <b>{one}</b>
            <b>{other}</b>
          </div>
        )}
        <div ref={host} />
      </div>
    </div>
  );
}

interface Sides {
  one: Text;
  other: Text;
}

interface Shown {
  chunks: readonly Chunk[];
  destroy: () => void;
}

type Hidden = { collapseUnchanged?: typeof HIDDEN };

function beside(root: ShadowRoot, { one, other }: Sides, names: [string, string], hidden: Hidden): Shown {
  const view = new MergeView({
    parent: root,
    root,
    a: { doc: one, extensions: extensions(names[0]) },
    b: { doc: other, extensions: extensions(names[1]) },
    diffConfig: COMPARED,
    ...hidden,
  });
  return { chunks: view.chunks, destroy: () => view.destroy() };
}

function unified(root: ShadowRoot, { one, other }: Sides, label: string, hidden: Hidden): Shown {
  const merged = unifiedMergeView({ original: one, mergeControls: false, diffConfig: COMPARED, ...hidden });
  const view = new EditorView({ parent: root, root, doc: other, extensions: [extensions(label), merged] });
  return { chunks: getChunks(view.state)?.chunks ?? [], destroy: () => view.destroy() };
}

const extensions = (label: string): Extension => [
  lineNumbers(),
  drawSelection(),
  EditorView.lineWrapping,
  THEME,
  EditorState.readOnly.of(true),
  EditorView.editable.of(false),
  // With the focus in it, the arrow keys scroll.
  EditorView.contentAttributes.of({ "aria-label": label, tabindex: "0" }),
  keymap.of(defaultKeymap),
];
