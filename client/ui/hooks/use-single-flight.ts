import { useCallback, useRef, useState } from 'react';

/**
 * Runs one thing at a time and drops calls in between. The lock is a ref: a state such as `isPending` is not yet true
 * at the second click of a double click.
 */
export function useSingleFlight(): { pending: boolean; run: (work: () => Promise<void>) => Promise<void> } {
  const busy = useRef(false);
  const [pending, setPending] = useState(false);
  const run = useCallback(async (work: () => Promise<void>) => {
    if (busy.current) return;
    busy.current = true;
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
