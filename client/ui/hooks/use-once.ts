import { useEffect, useState } from 'react';

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
