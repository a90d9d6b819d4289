/**
 * Keeps the focus for keyboard users: when the focused button disappears or becomes disabled, the nearest button of its
 * group gets the focus.
 */
import { type RefObject, useEffect, useRef } from "react";

/** Returns the ref of the group. The group must render again when one of its buttons changes. */
export function useHeldFocus<T extends HTMLElement>(): RefObject<T | null> {
  const group = useRef<T>(null);
  /** The index of the button with the focus. It stays while a dialog is open. */
  const place = useRef(-1);
  useEffect(() => {
    const came = (event: FocusEvent) => {
      place.current = buttonsOf(group.current).indexOf(event.target as HTMLButtonElement);
    };
    const left = ({ target, relatedTarget }: FocusEvent) => {
      if (relatedTarget instanceof Element && relatedTarget.closest("dialog") !== null) return;
      // A removed element loses the focus before it is disconnected.
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

/** Returns whether no usable element has the focus. */
export const isNowhere = (element: Element | null) =>
  element === null || element === document.body || (element instanceof HTMLButtonElement && element.disabled);
