import type { MouseEvent } from 'react';
import { copyAndSay } from '../../ui/feedback/copy-by-hand.tsx';

/** What a click on a row does, unless it hits a link, button or checkbox. */
export interface RowClicks {
  open(index: number): void;
  toggle(index: number): void;
  /** With the shift key. */
  extend(index: number): void;
}

export function useRowClicks(rows: RowClicks) {
  return {
    /** With Shift, the browser would select text from click to click. */
    onMouseDown(event: MouseEvent<HTMLElement>): void {
      if (event.shiftKey && rowAt(event) !== undefined) event.preventDefault();
    },
    /** In the capture phase, before the row's checkbox changes. */
    onClickCapture(event: MouseEvent<HTMLElement>): void {
      const index = rowAt(event);
      if (!event.shiftKey || index === undefined) return;
      event.preventDefault();
      event.stopPropagation();
      rows.extend(index);
    },
    onClick(event: MouseEvent<HTMLElement>): void {
      const target = event.target as HTMLElement;
      const copied = target.closest<HTMLElement>('[data-copy]')?.dataset.copy;
      if (copied !== undefined) void copyAndSay(copied);
      const index = rowAt(event);
      if (index === undefined || event.ctrlKey || event.metaKey || event.button !== 0) return;
      if (target.closest('[data-open]') !== null) event.preventDefault();
      else if (target.closest('a, button, input') !== null) return;
      // A click next to the checkbox was meant for it, and selected text is meant to be copied.
      if (target.closest('[data-choose]') !== null) rows.toggle(index);
      else if (target.closest('[data-open]') !== null || getSelection()?.isCollapsed !== false) rows.open(index);
    },
  };
}

function rowAt({ target }: MouseEvent): number | undefined {
  const row = (target as HTMLElement).closest<HTMLElement>('[data-row]')?.dataset.row;
  return row === undefined ? undefined : Number(row);
}
