import { type ReactNode, useEffect, useRef } from 'react';

/**
 * Takes the focus when a step gives way to the next one: the button that was pressed is gone by then, and assistive
 * technology reads what has come instead.
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
