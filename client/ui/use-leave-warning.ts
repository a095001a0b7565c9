import { useEffect } from 'react';

/** While something runs, the browser asks before a reload or the closing of the tab ends it. */
export function useLeaveWarning(running: boolean): void {
  useEffect(() => {
    if (!running) return;
    const onLeave = (event: BeforeUnloadEvent): void => event.preventDefault();
    addEventListener('beforeunload', onLeave);
    return () => removeEventListener('beforeunload', onLeave);
  }, [running]);
}
