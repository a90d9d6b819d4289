/** Whoever works by keyboard stays where they were: where the button with the focus goes away, or can no longer be pressed,
 * the next of its group has the focus then. */
import { type RefObject, useEffect, useRef } from "react";

/** The group is to be drawn again whenever one of its buttons changes. */
export function useHeldFocus<T extends HTMLElement>(): RefObject<T | null> {
  const group = useRef<T>(null);
  /** Which button of the group somebody is at, also while a dialogue asks them something. */
  const place = useRef(-1);
  useEffect(() => {
    const came = (event: FocusEvent) => {
      place.current = buttonsOf(group.current).indexOf(event.target as HTMLButtonElement);
    };
    const left = ({ target, relatedTarget }: FocusEvent) => {
      if (relatedTarget instanceof Element && relatedTarget.closest("dialog") !== null) return;
      // What is taken away says that it loses the focus while it is still there.
      queueMicrotask(() => {
        const isGone = !(target as Element).isConnected || (target as HTMLButtonElement).disabled;
        if (!isGone && group.current?.contains(document.activeElement) === false) place.current = -1;
      });
    };
    const element = group.current;
    element?.addEventListener("focusin", came);
    element?.addEventListener("focusout", left);
    return () => {
      element?.removeEventListener("focusin", came);
      element?.removeEventListener("focusout", left);
    };
  }, []);
  useEffect(() => {
    if (place.current < 0 || !isNowhere(document.activeElement)) return;
    const near = buttonsOf(group.current)
      .map((button, at) => ({ button, at, far: Math.abs(at - place.current) }))
      .filter(({ button }) => !button.disabled)
      .sort((one, other) => one.far - other.far || other.at - one.at);
    near[0]?.button.focus();
  });
  return group;
}

const buttonsOf = (group: HTMLElement | null) => [...(group?.querySelectorAll("button") ?? [])];

/** Whether keys go to nothing. */
export const isNowhere = (element: Element | null) =>
  element === null || element === document.body || (element instanceof HTMLButtonElement && element.disabled);
