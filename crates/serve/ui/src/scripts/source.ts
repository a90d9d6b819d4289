/** A script or table as it is written: its draft, what is wrong with it, and whether somebody else changed it meanwhile. */
import { useEffect, useState } from "react";

import type { Diagnostic, Looked } from "../api/types";
import { useAddress } from "../router/router";
import { draftOf, keepDraft } from "./drafts";

/** So long nobody must have written anything before a text is checked. */
const QUIET_MS = 350;

export interface Saved {
  file: string;
  text: string;
  /** Empty of a text that there is not yet. */
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
  /** Of the text that the draft was made from. */
  basedOn: string;
  /** Whether it is another than the saved one. */
  isWritten: boolean;
  diagnostics: Diagnostic[];
  /** Further diagnostics that the answer leaves out. */
  leftOut: number;
  /** Where the editor goes. */
  sought: Place | null;
  seek: (place: Place) => void;
  /** The draft is needed no more. */
  forget: () => void;
  giveUp: () => void;
}

/** The place that an address names, where it does: `?line=5&column=3`. */
function placeOf(query: URLSearchParams): Place | null {
  const [line, column] = [Number(query.get("line")), Number(query.get("column") ?? 1)];
  return Number.isInteger(line) && line > 0 ? { line, column } : null;
}

type Look = (file: string, text: string) => Promise<Pick<Looked, "diagnostics" | "diagnostics_left_out">>;

/** `look` checks a text, and `again` reads the saved one once more; `look` is one function at all times. */
export function useSource(saved: Saved, look: Look, again: () => void): Source {
  const { file } = saved;
  const [text, setText] = useState(() => draftOf(file)?.text ?? saved.text);
  const [{ diagnostics, diagnostics_left_out: leftOut = 0 }, setLooked] = useState<Awaited<ReturnType<Look>>>({
    diagnostics: [],
  });
  const { query } = useAddress();
  const [sought, seek] = useState(() => placeOf(query));
  const basedOn = draftOf(file)?.basedOn ?? saved.digest;
  useEffect(() => {
    let isCurrent = true;
    const timer = setTimeout(() => {
      look(file, text).then(
        (looked) => isCurrent && setLooked(looked),
        // The check comes with the next letter, or with saving.
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
