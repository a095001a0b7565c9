import { useEffect, useState } from 'react';

/** The time in milliseconds since the epoch, updated every so often: for numbers that say how old they are. */
export function useNow(everyMs: number): number {
  const [now, setNow] = useState(Date.now);
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), everyMs);
    return () => clearInterval(timer);
  }, [everyMs]);
  return now;
}
