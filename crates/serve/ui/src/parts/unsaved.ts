/**
 * Tracks unsaved changes. They stay when the user goes to another page. Closing the window or logging out asks first.
 */

const sorts: (() => boolean)[] = [];

/** Registers a function that returns whether there are drafts of one kind. */
export const askedBeforeLeaving = (isAny: () => boolean): void => void sorts.push(isAny);

export const isAnythingUnsaved = () => sorts.some((isAny) => isAny());

/** Forgets all drafts: the window may be closed without a question. */
export const giveUpAll = (): void => void sorts.splice(0);

/** Makes the browser ask before it closes the window. Call the returned function to stop that. */
export function askBeforeClosing(): () => void {
  const ask = (event: BeforeUnloadEvent) => {
    if (isAnythingUnsaved()) event.preventDefault();
  };
  window.addEventListener("beforeunload", ask);
  return () => window.removeEventListener("beforeunload", ask);
}
