import { useRef, useState } from 'react';
import { useOperator } from '../../api/session.ts';
import { UnstyledButton } from '../../ui/elements/button.tsx';
import { lazyDialog } from '../../ui/loading/lazy-part.tsx';
import classes from './account-button.module.css';

const AccountMenu = lazyDialog(() => import('./account-menu.tsx'), 'AccountMenu');

/** The operator's name, and under it the menu of what is theirs: colours, time zone, keys, the way out. */
export function AccountButton({ onShortcuts }: { onShortcuts: () => void }) {
  const { email } = useOperator();
  const [open, setOpen] = useState(false);
  const root = useRef<HTMLDivElement>(null);
  const close = (focusBack = true): void => {
    setOpen(false);
    if (focusBack) root.current?.querySelector('button')?.focus();
  };
  return (
    <div ref={root} className={classes.account}>
      <UnstyledButton aria-haspopup="menu" aria-expanded={open} onClick={() => (open ? close() : setOpen(true))}>
        <b aria-hidden>{email[0]}</b>
        <span>{email}</span>
      </UnstyledButton>
      {open && <AccountMenu root={root} onClose={close} onShortcuts={onShortcuts} />}
    </div>
  );
}
