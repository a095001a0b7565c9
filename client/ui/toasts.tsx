import { CloseButton, Kbd, VisuallyHidden } from '@mantine/core';
import { type ComponentType, useLayoutEffect, useRef, useState } from 'react';
import { createStore } from '../lib/store.ts';
import { visibleText } from '../lib/visible-text.ts';
import { SmallButton } from './buttons.tsx';
import { FailureNote } from './failure-panel.tsx';
import { useReturnFocus, useSingleFlight } from './hooks.tsx';
import classes from './toasts.module.css';

const STAYS_MS = 6_000;

interface Toast {
  id: number;
  text: string;
  Body: ComponentType<{ dismiss: () => void }> | undefined;
}

const toasts = createStore<readonly Toast[]>([]);
let lastId = 0;

/**
 * Confirms a success for a few seconds. A failure belongs next to its action instead, and stays.
 * @param Body replaces the text, and stays until it dismisses itself
 */
export function toast(text: string, Body?: Toast['Body']): void {
  lastId += 1;
  const id = lastId;
  toasts.set([...toasts.get().slice(-2), { id, text, Body }]);
  if (Body === undefined) setTimeout(() => dismiss(id), STAYS_MS);
}

const dismiss = (id: number): void => toasts.set(toasts.get().filter((toast) => toast.id !== id));

export function Toasts() {
  const list = toasts.use();
  const focus = useReturnFocus(list);
  const stack = useRef<HTMLDivElement>(null);
  // Above the pager of a long list; at the top of the screen if it would cover that of a short one, or the row that has
  // the focus (WCAG 2.2, 2.4.11).
  useLayoutEffect(() => {
    const { current } = stack;
    if (list.length === 0 || current === null) return;
    const place = (): void => {
      if (current.contains(document.activeElement)) return;
      current.removeAttribute('data-high');
      // The height of a bar at the bottom: see `useScrollRoom`.
      current.style.marginBlockEnd = document.documentElement.style.scrollPaddingBottom;
      const box = current.getBoundingClientRect();
      const others = document.querySelectorAll(':is(tr, li):focus-within, main :focus, [data-pager]');
      const isCovered = [...others].some((other) => {
        const { top, bottom, right } = other.getBoundingClientRect();
        return bottom > box.top && top < box.bottom && right > box.left;
      });
      current.toggleAttribute('data-high', isCovered);
    };
    place();
    const listeners = new AbortController();
    for (const event of ['focusin', 'scroll', 'resize'])
      addEventListener(event, place, { signal: listeners.signal, passive: true });
    return () => listeners.abort();
  }, [list]);
  return (
    <div ref={stack} className={classes.stack} role="status" aria-live="polite" data-unprinted {...focus}>
      {list.map(({ id, text, Body }) =>
        Body === undefined ? (
          <div key={id} className={classes.toast}>
            <span>{visibleText(text)}</span>
            <CloseButton aria-label="Dismiss" onClick={() => dismiss(id)} />
          </div>
        ) : (
          <Body key={id} dismiss={() => dismiss(id)} />
        ),
      )}
    </div>
  );
}

/**
 * Confirms an action and offers undo for ten seconds, until the animation of the bar ends; it pauses while the pointer
 * or the focus is on the toast. If undo fails, the error replaces the offer and stays.
 * @param text the action that undo reverts
 * @param note follows the text
 * @param undone the text after the undo
 * @param undo resolves with a further sentence, or ''; rejects with `UndoRefused` if a retry would not help
 */
export function offerUndo(
  text: string,
  undo: () => Promise<string>,
  note = '',
  undone = `Undone: ${text.charAt(0).toLowerCase()}${text.slice(1)}`,
  failure?: Error,
): void {
  toast(text, ({ dismiss }) => <UndoOffer {...{ text, undo, note, undone, failure, dismiss }} />);
}

function UndoOffer(props: {
  text: string;
  undo: () => Promise<string>;
  note: string;
  undone: string;
  failure: Error | undefined;
  dismiss: () => void;
}) {
  const { text, undo, note, undone, dismiss } = props;
  const [failure, setFailure] = useState(props.failure);
  const { run, pending } = useSingleFlight();
  const element = useRef<HTMLDivElement>(null);
  const attempt = (): void =>
    void run(async () => {
      setFailure(undefined);
      await undo().then(
        (remark) => {
          dismiss();
          toast(`${undone}${remark && `. ${remark}`}`);
        },
        // Newer toasts may have replaced this one, or the operator may have dismissed it.
        (error: Error) => (element.current ? setFailure(error) : offerUndo(text, undo, note, undone, error)),
      );
    });

  return (
    <div ref={element} className={classes.toast}>
      <div>
        {failure === undefined ? (
          visibleText(text + note)
        ) : (
          <>
            <strong>{failure instanceof UndoRefused ? 'Not undone' : 'Undo failed'}</strong>
            <FailureNote error={failure} />
          </>
        )}
      </div>
      {!(failure instanceof UndoRefused) && (
        <SmallButton data-undo loading={pending} onClick={attempt}>
          {failure === undefined ? 'Undo' : 'Try again'}
        </SmallButton>
      )}
      <CloseButton aria-label="Dismiss" onClick={dismiss} />
      {!pending && failure === undefined && (
        <>
          <VisuallyHidden>
            Press <Kbd>u</Kbd> to focus Undo.
          </VisuallyHidden>
          <i aria-hidden="true" onAnimationEnd={dismiss} />
        </>
      )}
    </div>
  );
}

/** Nothing was undone, and a retry would not help. The message says why. */
export class UndoRefused extends Error {}
