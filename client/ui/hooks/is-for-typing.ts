/** Whether keys are typed into what has the focus, or belong to an open dialog: single-key shortcuts do nothing then. */
export const isForTyping = (target: EventTarget | null): boolean =>
  document.querySelector('[role="dialog"], dialog[open]') !== null ||
  (target instanceof HTMLElement &&
    (target.isContentEditable || target.matches('input:not([type=checkbox], [type=radio]), textarea, select')));
