/** What was written and saved nowhere: it outlives its page, and nobody closes the window on it or logs out unasked. */

const sorts: (() => boolean)[] = [];

/** Whoever keeps drafts of a sort says whether there are any. */
export const askedBeforeLeaving = (isAny: () => boolean): void => void sorts.push(isAny);

export const isAnythingUnsaved = () => sorts.some((isAny) => isAny());

/** The window may be closed on all of it. */
export const giveUpAll = (): void => void sorts.splice(0);

/** The browser asks before it closes the window; what is returned ends that. */
export function askBeforeClosing(): () => void {
  const ask = (event: BeforeUnloadEvent) => {
    if (isAnythingUnsaved()) event.preventDefault();
  };
  window.addEventListener("beforeunload", ask);
  return () => window.removeEventListener("beforeunload", ask);
}
