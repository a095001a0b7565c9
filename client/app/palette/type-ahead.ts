/** What was pressed before there was a field to take it. */
export interface TypedAhead {
  text: string;
  /** Enter was pressed at the end. */
  entered: boolean;
}

/**
 * Takes the keys that are meant for a field which is still on its way, until it is there or somebody reaches for something
 * else, by Tab or by a click.
 * @param onEscape it is no longer wanted
 * @returns hands over what was typed, and ends it
 */
export function typeAhead(onEscape: () => void): () => TypedAhead {
  const typed: TypedAhead = { text: '', entered: false };
  const onKey = (event: KeyboardEvent): void => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === 'Tab') {
      end();
      return;
    }
    if (event.key === 'Escape') onEscape();
    else if (event.key === 'Enter') typed.entered = true;
    else if (event.key === 'Backspace') typed.text = typed.text.slice(0, -1);
    else if ([...event.key].length === 1) typed.text += event.key;
    else return;
    event.preventDefault();
    event.stopImmediatePropagation();
  };
  const end = (): void => {
    removeEventListener('keydown', onKey, true);
    removeEventListener('pointerdown', end, true);
  };
  addEventListener('keydown', onKey, true);
  addEventListener('pointerdown', end, true);
  return () => {
    end();
    return typed;
  };
}
