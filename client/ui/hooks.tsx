import {
  type ReactNode,
  type RefObject,
  useCallback,
  useEffect,
  useLayoutEffect,
  useRef,
  useState,
  useSyncExternalStore,
} from 'react';

/**
 * Moves focus to its content when that changes to another step: the button pressed in the step before is gone, and
 * screen readers announce the new content.
 */
export function FocusOnChange({ of, children }: { of: string; children: ReactNode }) {
  const content = useRef<HTMLDivElement>(null);
  const previous = useRef(of);
  useEffect(() => {
    if (previous.current === of) return;
    previous.current = of;
    const field = content.current?.querySelector<HTMLElement>('[data-autofocus]');
    (field ?? content.current)?.focus();
  }, [of]);
  return (
    <div ref={content} tabIndex={-1} style={{ outline: 'none' }}>
      {children}
    </div>
  );
}

/** Whether a key belongs to a field or an open dialog: single-key shortcuts ignore it then. */
export const isTyping = (target: EventTarget | null): boolean =>
  document.querySelector('[role="dialog"], dialog[open]') !== null ||
  (target instanceof HTMLElement &&
    (target.isContentEditable || target.matches('input:not([type=checkbox], [type=radio]), textarea, select')));

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

/** A value that exists once in the app, outside of its components. */
export function createStore<T>(initial: T) {
  let value = initial;
  const listeners = new Set<() => void>();
  const subscribe = (listener: () => void) => {
    listeners.add(listener);
    return () => void listeners.delete(listener);
  };
  return {
    get: (): T => value,
    set(next: T): void {
      value = next;
      for (const listener of listeners) listener();
    },
    use: (): T => useSyncExternalStore(subscribe, () => value),
  };
}

type Find = () => HTMLElement | null | undefined;

/**
 * Focuses an element that a state change creates. `requestAnimationFrame` would not do: on a busy machine it runs before
 * React has rendered.
 * @returns call it along with `setState`, with a function that finds the element in the document
 */
export function useFocusAfterRender(): (find: Find) => void {
  const [target, setTarget] = useState<{ find: Find }>();
  useEffect(() => target?.find()?.focus(), [target]);
  return useCallback((find) => setTarget({ find }), []);
}

/** The time in milliseconds since the epoch, updated at an interval, for texts that contain an age. */
export function useNow(everyMs: number): number {
  const [now, setNow] = useState(Date.now);
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), everyMs);
    return () => clearInterval(timer);
  }, [everyMs]);
  return now;
}

/** True from when `condition` first holds, or after so long at the latest. */
export function useStaysTrue(condition: boolean, atLatestMs: number): boolean {
  const [isTrue, setTrue] = useState(condition);
  if (condition && !isTrue) setTrue(true);
  useEffect(() => {
    if (isTrue) return;
    const timer = setTimeout(() => setTrue(true), atLatestMs);
    return () => clearTimeout(timer);
  }, [isTrue, atLatestMs]);
  return isTrue || condition;
}

/**
 * State that is reset to `initial` when `key` changes. It is reset in the same render: an effect would run after the
 * operator has typed more, and drop that; a `key` on the component would take the focus away.
 */
export function useResettingState<T>(initial: T, key: unknown): [T, (value: T) => void] {
  const [state, setState] = useState({ key, value: initial });
  const current = state.key === key ? state : { key, value: initial };
  if (current !== state) setState(current);
  return [current.value, (value) => setState({ key, value })];
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
    const observer = new ResizeObserver(() => {
      const { position, top, bottom } = getComputedStyle(current);
      const inset = parseFloat(edge === 'Top' ? top : bottom);
      style[`scrollPadding${edge}`] = position === 'sticky' ? `${inset + current.offsetHeight + GAP_PX}px` : '';
      reveal(document.activeElement);
    });
    const onFocus = ({ target }: FocusEvent): void => reveal(target as Element);
    observer.observe(current);
    document.addEventListener('focusin', onFocus);
    return () => {
      observer.disconnect();
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
