/**
 * The state of a script or table in an editor: its draft, its diagnostics, and whether it was saved elsewhere
 * meanwhile.
 */
import { useEffect, useState } from "react";

import type { Diagnostic, Looked } from "../api/types";
import { useAddress } from "../router/router";
import { draftOf, keepDraft } from "./drafts";

/** The pause in typing after which a text is checked. */
const QUIET_MS = 350;

export interface Saved {
  file: string;
  text: string;
  /** Empty if the file does not exist yet. */
  digest: string;
}

export interface Place {
  line: number;
  column: number;
}

export interface Source {
  saved: Saved;
  text: string;
  write: (text: string) => void;
  /** The digest of the text that the draft is made from. */
  basedOn: string;
  /** Whether the text differs from the saved one. */
  isWritten: boolean;
  diagnostics: Diagnostic[];
  /** The number of further diagnostics that the answer omits. */
  leftOut: number;
  /** The place that the editor shows. */
  sought: Place | null;
  seek: (place: Place) => void;
  /** Deletes the draft. */
  forget: () => void;
  giveUp: () => void;
}

/** Returns the place in the address, if there is one: `?line=5&column=3`. */
function placeOf(query: URLSearchParams): Place | null {
  const [line, column] = [Number(query.get("line")), Number(query.get("column") ?? 1)];
  return Number.isInteger(line) && line > 0 ? { line, column } : null;
}

type Look = (file: string, text: string) => Promise<Pick<Looked, "diagnostics" | "diagnostics_left_out">>;

/**
 * Manages a draft. `look` checks a text and must be the same function at each call; `again` loads the saved text again.
 */
export function useSource(saved: Saved, look: Look, again: () => void): Source {
  const { file } = saved;
  const [text, setText] = useState(() => draftOf(file)?.text ?? saved.text);
  const [{ diagnostics, diagnostics_left_out: leftOut }, setLooked] = useState<Awaited<ReturnType<Look>>>({
    diagnostics: [],
    diagnostics_left_out: 0,
  });
  const { query } = useAddress();
  const [sought, seek] = useState(() => placeOf(query));
  const basedOn = draftOf(file)?.basedOn ?? saved.digest;
  useEffect(() => {
    let isCurrent = true;
    const timer = setTimeout(() => {
      look(file, text).then(
        (looked) => isCurrent && setLooked(looked),
        // If a check fails, the next one follows the next change, or the save.
        () => undefined,
      );
    }, QUIET_MS);
    return () => {
      isCurrent = false;
      clearTimeout(timer);
    };
  }, [file, text, look]);
  const forget = () => keepDraft(file, null);
  return {
    saved,
    text,
    write: (next) => {
      setText(next);
      keepDraft(file, next === saved.text ? null : { text: next, basedOn });
    },
    basedOn,
    isWritten: text !== saved.text,
    diagnostics,
    leftOut,
    sought,
    seek,
    forget,
    giveUp: () => {
      forget();
      setText(saved.text);
      again();
    },
  };
}
