import { type KeyboardEvent, useRef, useState } from 'react';

/** The index that each key leads to. */
const STEPS: Record<string, (index: number, count: number) => number> = {
  ArrowRight: (index, count) => Math.min(index + 1, count - 1),
  ArrowDown: (index, count) => Math.min(index + 1, count - 1),
  ArrowLeft: (index) => Math.max(index - 1, 0),
  ArrowUp: (index) => Math.max(index - 1, 0),
  Home: () => 0,
  End: (_, count) => count - 1,
};

/** Makes all buttons in a container one tab stop; arrow keys, Home and End move between them. */
export function useRovingFocus(count: number) {
  const container = useRef<HTMLDivElement>(null);
  const [wanted, setCurrent] = useState(0);
  const current = Math.max(0, Math.min(wanted, count - 1));
  return {
    container,
    current,
    setCurrent,
    onKeyDown(event: KeyboardEvent): void {
      const next = STEPS[event.key]?.(current, count);
      if (next === undefined || event.ctrlKey || event.metaKey || event.altKey) return;
      event.preventDefault();
      setCurrent(next);
      container.current?.querySelectorAll('button')[next]?.focus();
    },
  };
}
