/** What was pressed before there was a field to take it. */
export interface TypedAhead {
  text: string;
  /** Enter was pressed at the end. */
  entered: boolean;
}

/**
 * Takes the keys that are meant for a field which is still on its way.
 * @param onEscape it is no longer wanted
 * @returns hands over what was typed, and ends it
 */
export function typeAhead(onEscape: () => void): () => TypedAhead {
  const typed: TypedAhead = { text: '', entered: false };
  const onKey = (event: KeyboardEvent): void => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === 'Escape') onEscape();
    else if (event.key === 'Enter') typed.entered = true;
    else if (event.key === 'Backspace') typed.text = typed.text.slice(0, -1);
    else if ([...event.key].length === 1) typed.text += event.key;
    else return;
    event.preventDefault();
    event.stopImmediatePropagation();
  };
  addEventListener('keydown', onKey, true);
  return () => {
    removeEventListener('keydown', onKey, true);
    return typed;
  };
}
