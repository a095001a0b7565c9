import type { Direction, Step } from './steps.ts';

/** Id of the element that explains the keys. */
export const ARRANGING_HINT = 'arranging-hint';

const ARROWS: Record<string, Direction> = {
  ArrowLeft: 'left',
  ArrowRight: 'right',
  ArrowUp: 'up',
  ArrowDown: 'down',
};

interface Key {
  key: string;
  shiftKey: boolean;
  ctrlKey: boolean;
  metaKey: boolean;
  altKey: boolean;
}

/** What a key does to the widget whose handle has focus: arrows move it; with Shift they resize it. */
export function stepOf({ key, shiftKey, ctrlKey, metaKey, altKey }: Key): Step | undefined {
  const direction = ARROWS[key];
  if (direction === undefined || ctrlKey || metaKey || altKey) return undefined;
  return { act: shiftKey ? 'resize' : 'move', direction };
}
