/** A typed text, once the user pauses: a search need not be done for each letter. */
import { useEffect, useState } from "react";

export function useQuiet(typed: string, ms: number): string {
  const [quiet, setQuiet] = useState(typed);
  useEffect(() => {
    const timer = setTimeout(() => setQuiet(typed), ms);
    return () => clearTimeout(timer);
  }, [typed, ms]);
  return quiet;
}
