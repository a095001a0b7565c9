import {
  type KeyboardEvent,
  type ReactNode,
  type RefObject,
  useCallback,
  useEffect,
  useLayoutEffect,
  useRef,
  useState,
} from 'react';

/**
 * Takes focus when the next step replaces the current one: the pressed button is gone by then, and screen readers
 * announce the new content.
 */
export function FocusOnChange({ of, children }: { of: string; children: ReactNode }) {
  const content = useRef<HTMLDivElement>(null);
  const shown = useRef(of);
  useEffect(() => {
    if (shown.current === of) return;
    shown.current = of;
    const field = content.current?.querySelector<HTMLElement>('[data-autofocus]');
    (field ?? content.current)?.focus();
  }, [of]);
  return (
    <div ref={content} tabIndex={-1} style={{ outline: 'none' }}>
      {children}
    </div>
  );
}

/** Whether keys are typed into what has the focus, or belong to an open dialog: single-key shortcuts do nothing then. */
export const isForTyping = (target: EventTarget | null): boolean =>
  document.querySelector('[role="dialog"], dialog[open]') !== null ||
  (target instanceof HTMLElement &&
    (target.isContentEditable || target.matches('input:not([type=checkbox], [type=radio]), textarea, select')));

/** For a table's body: arrow keys, Home and End move between rows, to each row's first link. */
export function moveBetweenRows(event: KeyboardEvent<HTMLElement>): void {
  if (event.ctrlKey || event.metaKey || event.altKey || event.shiftKey) return;
  const rows = [...event.currentTarget.querySelectorAll<HTMLElement>('tr')];
  const at = rows.findIndex((row) => row.contains(document.activeElement));
  const next = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: rows.length - 1 }[event.key];
  if (next === undefined || at === -1) return;
  event.preventDefault();
  rows[next]?.querySelector<HTMLElement>('a')?.focus();
}

/** For focus that would otherwise be lost, with a control that is removed for example. */
export const focusHeading = (): void =>
  document.querySelector<HTMLElement>('[data-page-heading]')?.focus({ preventScroll: true });

/** For a part with a control that removes it: the page's heading then takes focus. */
export function usePassFocusOn(part: RefObject<HTMLElement | null>): void {
  useLayoutEffect(() => {
    const { current } = part;
    return () => {
      if (current?.contains(document.activeElement)) queueMicrotask(focusHeading);
    };
  }, [part]);
}

type Find = () => HTMLElement | null | undefined;

/**
 * Focuses an element that a state change creates, as soon as it is rendered. `requestAnimationFrame` would not do: on
 * a busy machine it runs before React has rendered.
 * @returns a function to call along with `setState`; it takes a function that finds the element afterwards
 */
export function useFocusAfterRender(): (find: Find) => void {
  const [next, setNext] = useState<{ find: Find }>();
  useEffect(() => next?.find()?.focus(), [next]);
  return useCallback((find) => setNext({ find }), []);
}

/** The time in milliseconds since the epoch, updated at an interval, for numbers that show their age. */
export function useNow(everyMs: number): number {
  const [now, setNow] = useState(Date.now);
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), everyMs);
    return () => clearInterval(timer);
  }, [everyMs]);
  return now;
}

/** True from when `condition` first holds, or after so long at the latest. */
export function useOnce(condition: boolean, atLatestMs: number): boolean {
  const [held, setHeld] = useState(condition);
  if (condition && !held) setHeld(true);
  useEffect(() => {
    if (held) return;
    const timer = setTimeout(() => setHeld(true), atLatestMs);
    return () => clearTimeout(timer);
  }, [held, atLatestMs]);
  return held || condition;
}

/**
 * State that starts anew when `key` changes, in the same render: an effect would come after what the operator typed
 * meanwhile, and take it away.
 * @param initial what it starts with
 */
export function useResettingState<T>(initial: T, key: unknown): [T, (value: T) => void] {
  const [held, setHeld] = useState({ key, value: initial });
  const current = held.key === key ? held : { key, value: initial };
  if (current !== held) setHeld(current);
  return [current.value, (value) => setHeld({ key, value })];
}

/**
 * Keeps focused elements clear of a bar that sticks to an edge of the screen, whatever its height (WCAG 2.2, 2.4.11).
 * On its own, a browser only scrolls a large field's caret into view.
 */
export function useScrollRoom(bar: RefObject<HTMLElement | null>, edge: 'Top' | 'Bottom'): void {
  useLayoutEffect(() => {
    const { current } = bar;
    if (current === null) return;
    const { style } = document.documentElement;
    const reveal = (focused: Element | null): void => {
      // What was clicked must not move away from under the mouse.
      if (focused?.matches(':focus-visible') && !current.contains(focused))
        focused.scrollIntoView({ block: 'nearest' });
    };
    const sized = new ResizeObserver(() => {
      const { position, top, bottom } = getComputedStyle(current);
      const inset = parseFloat(edge === 'Top' ? top : bottom);
      style[`scrollPadding${edge}`] = position === 'sticky' ? `${inset + current.offsetHeight + GAP_PX}px` : '';
      reveal(document.activeElement);
    });
    const onFocus = ({ target }: FocusEvent): void => reveal(target as Element);
    sized.observe(current);
    document.addEventListener('focusin', onFocus);
    return () => {
      sized.disconnect();
      document.removeEventListener('focusin', onFocus);
      style[`scrollPadding${edge}`] = '';
    };
  }, [bar, edge]);
}

/** For the focus outline. */
const GAP_PX = 8;

/**
 * Runs one thing at a time and drops calls in between. The lock is a ref: a state such as `isPending` is not yet true
 * at the second click of a double click. A button that is disabled meanwhile gets its focus back; until then, focus
 * stays in the dialog around it.
 */
export function useSingleFlight(): { pending: boolean; run: (work: () => Promise<void>) => Promise<void> } {
  const busy = useRef(false);
  const pressed = useRef<HTMLElement>(undefined);
  const [pending, setPending] = useState(false);
  useEffect(() => {
    const button = pressed.current;
    const dialog = button?.closest<HTMLElement>('[role=dialog]');
    const { activeElement } = document;
    if (activeElement !== document.body && activeElement !== button && activeElement !== dialog) return;
    (pending ? dialog : button)?.focus({ preventScroll: true });
  }, [pending]);
  const run = useCallback(async (work: () => Promise<void>) => {
    if (busy.current) return;
    busy.current = true;
    pressed.current = document.activeElement?.closest<HTMLElement>('button') ?? undefined;
    setPending(true);
    try {
      await work();
    } finally {
      busy.current = false;
      setPending(false);
    }
  }, []);
  return { pending, run };
}
