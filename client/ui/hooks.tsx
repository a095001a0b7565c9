import {
  type FocusEvent,
  type ReactNode,
  type RefObject,
  useCallback,
  useEffect,
  useLayoutEffect,
  useRef,
  useState,
} from 'react';
import { isCommand, keyOf } from '../lib/keys.ts';

/**
 * Focuses the content when the step changes: the button of the previous step is gone, and screen readers then announce
 * the new content.
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

/** Whether a key belongs to a field or an open dialog: single-key shortcuts ignore such keys. */
const isTyping = (target: EventTarget | null): boolean =>
  document.querySelector('[role="dialog"], dialog[open]') !== null ||
  (target instanceof HTMLElement &&
    (target.isContentEditable || target.matches('input:not([type=checkbox], [type=radio]), textarea, select')));

/** Handles keys without Ctrl, Alt or ⌘, except in fields and dialogs, and everywhere `Ctrl+K`, which is also ⌘K. */
export function usePageKeys(actionOf: (key: string, target: EventTarget | null) => (() => void) | undefined): void {
  const latest = useRef(actionOf);
  latest.current = actionOf;
  useEffect(() => {
    const onKey = (event: KeyboardEvent): void => {
      const isSearch = isCommand(event, 'k');
      if (!isSearch && (event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target))) return;
      const act = latest.current(isSearch ? 'Ctrl+K' : keyOf(event), event.target);
      if (act === undefined) return;
      event.preventDefault();
      act();
    };
    addEventListener('keydown', onKey);
    return () => removeEventListener('keydown', onKey);
  }, []);
}

/** Moves the focus to the page's heading, for example when the focused control is removed. */
export const focusHeading = (): void =>
  document.querySelector<HTMLElement>('[data-page-heading]')?.focus({ preventScroll: true });

/** For components with a control that removes them: the focus then moves to the page's heading. */
export function usePassFocusOn(part: RefObject<HTMLElement | null>): void {
  useLayoutEffect(() => {
    const { current } = part;
    return () => {
      if (current?.contains(document.activeElement)) queueMicrotask(focusHeading);
    };
  }, [part]);
}

/**
 * For a list whose focused items may disappear: the focus then returns to where it came from, or to the page's heading.
 * @param items changes with every removal
 */
export function useReturnFocus(items: unknown) {
  /** Undefined while the focus is outside the list. */
  const from = useRef<HTMLElement | null>(undefined);
  // biome-ignore lint/correctness/useExhaustiveDependencies: every removal changes the items
  useLayoutEffect(() => {
    if (from.current === undefined || document.activeElement !== document.body) return;
    if (from.current?.isConnected) from.current.focus({ preventScroll: true });
    else focusHeading();
    from.current = undefined;
  }, [items]);
  return {
    onFocus({ currentTarget, relatedTarget }: FocusEvent<HTMLElement>): void {
      if (!currentTarget.contains(relatedTarget)) from.current = relatedTarget as HTMLElement | null;
    },
    onBlur({ currentTarget, relatedTarget, target }: FocusEvent<HTMLElement>): void {
      // A pressed button loses the focus while it is disabled.
      if (!currentTarget.contains(relatedTarget) && !target.matches(':disabled')) from.current = undefined;
    },
  };
}

type Find = () => HTMLElement | null | undefined;

/**
 * Focuses an element after a state change creates it. On a busy machine, `requestAnimationFrame` may run before
 * React has rendered.
 * @returns a function to call along with `setState`; its argument finds the element in the document
 */
export function useFocusAfterRender(): (find: Find) => void {
  const [target, setTarget] = useState<{ find: Find }>();
  useEffect(() => target?.find()?.focus(), [target]);
  return useCallback((find) => setTarget({ find }), []);
}

/** The current time, updated every ten seconds by default, for texts that contain an age. */
export function useNow(everyMs = 10_000): number {
  const [now, setNow] = useState(Date.now);
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), everyMs);
    return () => clearInterval(timer);
  }, [everyMs]);
  return now;
}

/** Becomes and stays true once `condition` holds, or after `atLatestMs`. */
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
 * State that resets to `initial` when `key` changes, in the same render: an effect would run later and drop new input,
 * and a `key` on the component would lose the focus.
 */
export function useResettingState<T>(initial: T, key: unknown): [T, (value: T) => void] {
  const [state, setState] = useState({ key, value: initial });
  const current = state.key === key ? state : { key, value: initial };
  if (current !== state) setState(current);
  return [current.value, (value) => setState({ key, value })];
}

/**
 * Prevents a sticky bar of any height from covering focused elements (WCAG 2.2, 2.4.11). By itself, a browser scrolls
 * only the caret of a large field into view.
 */
export function useScrollRoom(bar: RefObject<HTMLElement | null>, edge: 'Top' | 'Bottom'): void {
  useLayoutEffect(() => {
    const { current } = bar;
    if (current === null) return;
    const { style } = current.closest<HTMLElement>('[role=dialog]') ?? document.documentElement;
    const reveal = (focused: Element | null): void => {
      // A clicked element must not move away from the pointer. The heading of a page has the focus after Back, where the
      // page is scrolled to where it was.
      if (focused?.matches(':focus-visible:not([data-page-heading])') && !current.contains(focused))
        focused.scrollIntoView({ block: 'nearest' });
    };
    const observer = new ResizeObserver(() => {
      const { position, top, bottom } = getComputedStyle(current);
      const inset = parseFloat(edge === 'Top' ? top : bottom);
      style[`scrollPadding${edge}`] = position === 'sticky' ? `${inset + current.offsetHeight + GAP_PX}px` : '';
      reveal(document.activeElement);
    });
    const onFocus = ({ target }: Event): void => reveal(target as Element);
    observer.observe(current);
    document.addEventListener('focusin', onFocus);
    return () => {
      observer.disconnect();
      document.removeEventListener('focusin', onFocus);
      style[`scrollPadding${edge}`] = '';
    };
  }, [bar, edge]);
}

/** Leaves space for the focus outline. */
const GAP_PX = 8;

/**
 * Runs one operation at a time and ignores calls during it. The lock is a ref, since state such as `isPending` updates
 * too late for a double click. A button that was disabled during the run regains focus; until then, the focus stays in
 * the dialog. `failure` is why the last operation failed.
 */
export function useSingleFlight() {
  const busy = useRef(false);
  const pressed = useRef<HTMLElement>(undefined);
  const [pending, setPending] = useState(false);
  const [failure, setFailure] = useState<Error>();
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
    setFailure(undefined);
    await work().catch(setFailure);
    busy.current = false;
    setPending(false);
  }, []);
  return { pending, failure, setFailure, run };
}
