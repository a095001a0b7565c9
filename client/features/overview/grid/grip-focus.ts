export const gripId = (id: string): string => `grip-${id}`;

/** After the next drawing: what is to be focused may not stand there yet, or stand elsewhere. */
export const focusGrip = (id: string): void => focusSoon(`#${CSS.escape(gripId(id))}`);

export function focusSoon(selector: string): void {
  requestAnimationFrame(() => {
    const found = document.querySelector<HTMLElement>(selector);
    found?.focus();
    found?.scrollIntoView({ block: 'nearest' });
  });
}
