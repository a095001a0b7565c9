import { UnstyledButton } from '@mantine/core';
import { type ComponentPropsWithRef, useState } from 'react';
import { useOperator } from '../../api/session.ts';
import { lazyPart } from '../../ui/loading/lazy-part.tsx';
import classes from './account-button.module.css';

const AccountMenu = lazyPart(() => import('./account-menu.tsx'), 'AccountMenu');

/** The operator's name, and under it the menu of what is theirs: colours, time zone, keys, the way out. */
export function AccountButton({ onShortcuts }: { onShortcuts: () => void }) {
  const [pressed, setPressed] = useState(false);
  if (!pressed) {
    const load = (): void => void AccountMenu.preload?.()?.then(() => setPressed(true));
    return <OperatorButton aria-haspopup="menu" aria-expanded={false} onClick={load} />;
  }
  // It takes the place, and the focus, of the button that was pressed.
  const button = <OperatorButton autoFocus />;
  return <AccountMenu button={button} onShortcuts={onShortcuts} onClose={() => setPressed(false)} />;
}

function OperatorButton(props: ComponentPropsWithRef<'button'>) {
  const { email } = useOperator();
  return (
    <UnstyledButton {...props} className={classes.account}>
      <b aria-hidden>{email[0]}</b>
      <span>{email}</span>
    </UnstyledButton>
  );
}
