/** Loads data when a page opens, and again when its inputs change. */
import { useCallback, useEffect, useRef, useState } from "react";

import { Refusal } from "../api/client";

export interface Loaded<T> {
  value: T | null;
  problem: Refusal | null;
  isLoading: boolean;
  again: () => void;
}

export const asRefusal = (error: unknown) =>
  error instanceof Refusal ? error : new Refusal(0, "Something went wrong in this page.", String(error));

/**
 * Loads a value. `by` identifies the question, `since` counts events that can change its answer. The old value stays
 * until the new one arrives. If the load fails, the old value stays only if `by` is the same.
 */
export function useLoad<T>(load: () => Promise<T>, by: readonly unknown[], since: readonly unknown[] = []): Loaded<T> {
  const [value, setValue] = useState<T | null>(null);
  const [problem, setProblem] = useState<Refusal | null>(null);
  const [isLoading, setLoading] = useState(true);
  const [turn, setTurn] = useState(0);
  /** The `by` of the value. */
  const answered = useRef(by);
  const latest = useRef(load);
  latest.current = load;
  useEffect(() => {
    let isCurrent = true;
    setLoading(true);
    latest.current().then(
      (found) => {
        if (!isCurrent) return;
        answered.current = by;
        setValue(found);
        setProblem(null);
        setLoading(false);
      },
      (error: unknown) => {
        if (!isCurrent) return;
        if (!isSame(answered.current, by)) setValue(null);
        setProblem(asRefusal(error));
        setLoading(false);
      },
    );
    return () => {
      isCurrent = false;
    };
  }, [...by, ...since, turn]);
  return { value, problem, isLoading, again: useCallback(() => setTurn((before) => before + 1), []) };
}

const isSame = (one: readonly unknown[], other: readonly unknown[]) =>
  one.every((each, place) => Object.is(each, other[place]));

export interface Pages<T> {
  rows: T[] | null;
  hasMore: boolean;
  more: () => void;
  /** Whether older rows were loaded, too. */
  hasOlder: boolean;
  problem: Refusal | null;
  isLoading: boolean;
  again: () => void;
}

/** The rows after the first page. */
interface Older<T> {
  /** The first page that they follow. */
  first: object;
  rows: T[];
  more: boolean;
  /** Why the last page could not be loaded. */
  problem: Refusal | null;
}

/** Loads rows a page at a time. The next page begins after the key of the last row: its number, or its name. */
export function usePages<T, Key = number>(
  load: (last: Key | undefined) => Promise<{ rows: T[]; more: boolean }>,
  keyOf: (row: T) => Key,
  by: readonly unknown[],
  since: readonly unknown[] = [],
): Pages<T> {
  const [loaded, setLoaded] = useState<Older<T> | null>(null);
  const first = useLoad(async () => ({ ...(await load(undefined)), by }), by, since);
  const current = useRef(first.value);
  current.current = first.value;
  // With another first page, the older rows are those of another question, or there is a gap before them.
  const older = loaded !== null && loaded.first === first.value ? loaded : null;
  const rows = first.value === null ? null : [...first.value.rows, ...(older?.rows ?? [])];
  const last = rows?.at(-1);
  const more = () => {
    const page = first.value;
    // Until the rows of a new question are there, those of the last one are shown: they get no more.
    if (page === null || last === undefined || !isSame(page.by, by)) return;
    const become = (next: Omit<Older<T>, "first">) => {
      // Drop an answer that comes when its question is no longer the current one.
      if (current.current === page) setLoaded({ first: page, ...next });
    };
    const before = older?.rows ?? [];
    load(keyOf(last)).then(
      (found) => become({ rows: [...before, ...found.rows], more: found.more, problem: null }),
      (error: unknown) => become({ rows: before, more: true, problem: asRefusal(error) }),
    );
  };
  return {
    ...first,
    rows,
    hasMore: (older ?? first.value)?.more ?? false,
    more,
    hasOlder: older !== null && older.rows.length > 0,
    problem: first.problem ?? older?.problem ?? null,
  };
}

/** Runs an action that the user started, and tracks whether it runs and why it failed. */
export function useDeed(): {
  isBusy: boolean;
  problem: Refusal | null;
  forget: () => void;
  run: (deed: () => Promise<void>) => Promise<void>;
} {
  const [isBusy, setBusy] = useState(false);
  const [problem, setProblem] = useState<Refusal | null>(null);
  const run = async (deed: () => Promise<void>) => {
    setBusy(true);
    setProblem(null);
    try {
      await deed();
    } catch (error) {
      setProblem(asRefusal(error));
    } finally {
      setBusy(false);
    }
  };
  return { isBusy, problem, forget: () => setProblem(null), run };
}
