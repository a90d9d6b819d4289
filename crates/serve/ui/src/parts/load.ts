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

/** Loads rows a page at a time, the newest first. */
export function usePages<T>(
  load: (before: number | undefined) => Promise<{ rows: T[]; more: boolean }>,
  number: (row: T) => number,
  by: readonly unknown[],
  since: readonly unknown[] = [],
): Pages<T> {
  const [older, setOlder] = useState<{ rows: T[]; more: boolean } | null>(null);
  const [problem, setProblem] = useState<Refusal | null>(null);
  const first = useLoad(
    async () => {
      const found = await load(undefined);
      setOlder(null);
      return found;
    },
    by,
    since,
  );
  const rows = first.value === null ? null : [...first.value.rows, ...(older?.rows ?? [])];
  const last = rows?.at(-1);
  const more = () => {
    if (last === undefined) return;
    load(number(last)).then(
      (found) => {
        setOlder({ rows: [...(older?.rows ?? []), ...found.rows], more: found.more });
        setProblem(null);
      },
      (error: unknown) => setProblem(asRefusal(error)),
    );
  };
  return {
    ...first,
    rows,
    hasMore: (older ?? first.value)?.more ?? false,
    more,
    hasOlder: older !== null,
    problem: first.problem ?? problem,
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
