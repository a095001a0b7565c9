import { type ReactNode, useEffect, useRef } from 'react';

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
