import { Button, CloseButton, Kbd, VisuallyHidden } from '@mantine/core';
import { useEffect, useRef, useState } from 'react';
import { visibleText } from '../lib/visible-text.ts';
import { FailureNote } from './failure-panel.tsx';
import { usePassFocusOn, useSingleFlight } from './hooks.tsx';
import classes from './toasts.module.css';
import { toast } from './toasts.tsx';

/** As long as the bar’s animation in the style sheet. */
const STAYS_MS = 10_000;

/**
 * Says that something is done and offers to undo it for ten seconds, not counting those while the pointer or the focus
 * is there. What could not be undone is said in the same place, and stays.
 * @param undo resolves with what to say then; rejects with `UndoRefused` where another attempt would not help
 */
export function offerUndo(said: string, undo: () => Promise<string>): void {
  show({ said, undo });
}

interface Offer {
  said: string;
  undo: () => Promise<string>;
  failure?: Error;
}

function show(offer: Offer): void {
  toast(offer.said, function Body({ dismiss }) {
    return <UndoOffer {...offer} dismiss={dismiss} />;
  });
}

function UndoOffer(props: Offer & { dismiss: () => void }) {
  const { said, undo, dismiss } = props;
  const [failure, setFailure] = useState(props.failure);
  const [held, setHeld] = useState({ hovered: false, focused: false });
  const { run, pending } = useSingleFlight();
  const offer = useRef<HTMLDivElement>(null);
  usePassFocusOn(offer);
  const shown = useRef(false);
  const offered = !pending && failure === undefined;
  useCountdown(offered && !held.hovered && !held.focused, dismiss);
  useEffect(() => {
    shown.current = true;
    return () => {
      shown.current = false;
    };
  }, []);

  const attempt = (): void =>
    void run(async () => {
      setFailure(undefined);
      await undo().then(
        (done) => {
          dismiss();
          toast(done);
        },
        // Newer ones may have pushed it out, or somebody has dismissed it.
        (error: Error) => (shown.current ? setFailure(error) : show({ said, undo, failure: error })),
      );
    });

  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: it only halts the time
    <div
      ref={offer}
      className={classes.toast}
      data-held={held.hovered || held.focused || undefined}
      onMouseEnter={() => setHeld((now) => ({ ...now, hovered: true }))}
      onMouseLeave={() => setHeld((now) => ({ ...now, hovered: false }))}
      onFocus={() => setHeld((now) => ({ ...now, focused: true }))}
      onBlur={() => setHeld((now) => ({ ...now, focused: false }))}
    >
      <div>
        {failure === undefined ? (
          visibleText(said)
        ) : (
          <>
            <strong>{failure instanceof UndoRefused ? 'Not undone' : 'The undo failed'}</strong>
            <FailureNote error={failure} />
          </>
        )}
      </div>
      {!(failure instanceof UndoRefused) && (
        <Button size="compact-sm" variant="default" data-undo loading={pending} onClick={attempt}>
          {failure === undefined ? 'Undo' : 'Try again'}
        </Button>
      )}
      <CloseButton aria-label="Dismiss" onClick={dismiss} />
      {offered && (
        <>
          <VisuallyHidden>
            Press <Kbd>u</Kbd> to get to Undo.
          </VisuallyHidden>
          <i aria-hidden="true" />
        </>
      )}
    </div>
  );
}

/** Calls back once the time has run for ten seconds in all. */
function useCountdown(runs: boolean, onOver: () => void): void {
  const leftMs = useRef(STAYS_MS);
  const over = useRef(onOver);
  over.current = onOver;
  useEffect(() => {
    if (!runs) return;
    const since = performance.now();
    const timer = setTimeout(() => over.current(), leftMs.current);
    return () => {
      clearTimeout(timer);
      leftMs.current -= performance.now() - since;
    };
  }, [runs]);
}

/** Nothing was undone, and another attempt would not help: the message says what stands in the way. */
export class UndoRefused extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'UndoRefused';
  }
}
