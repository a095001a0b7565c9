/** Keys pressed before the field existed. */
export interface TypedAhead {
  text: string;
  /** Enter was pressed last. */
  entered: boolean;
}

/**
 * Captures keys meant for a field that is still loading, until the field is there or the user turns elsewhere with Tab
 * or a click.
 * @param onEscape the user no longer wants the field
 * @returns a function that stops capturing and returns what was typed
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
