import { Button } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import type { Identity } from '../../../api/identities-record.ts';
import { useRefusal } from '../../../api/session.ts';
import { GuardedButton } from '../../../ui/guarded-button.tsx';
import { lazyPart } from '../../../ui/loading/lazy-part.tsx';
import type { Help } from './finding.ts';

const IdentityDialog = lazyPart(() => import('../detail/identity-dialogs.tsx'), 'IdentityDialog');

const LABELS: Record<Help['act'], string> = {
  activate: 'Activate…',
  unlock: 'Unlock…',
  verify: 'Mark as verified…',
  recovery: 'Recovery…',
  credentials: 'Credentials',
  edit: 'Edit',
  connections: 'Connections',
  message: 'The message',
};

/** What can be done about a finding: a dialog, or the page where it is done. */
export function HelpButton({ identity, help, about }: { identity: Identity; help: Help; about: string }) {
  const [open, setOpen] = useState(false);
  const refusal = useRefusal('locks.write');
  const shown = { size: 'compact-sm', variant: 'default', 'aria-label': `${LABELS[help.act]}: ${about}` } as const;
  const link = (target: (props: { className: string; children?: ReactNode }) => ReactNode) => (
    <Button {...shown} renderRoot={target}>
      {LABELS[help.act]}
    </Button>
  );
  const params = { id: identity.id };
  const close = () => setOpen(false);
  switch (help.act) {
    case 'credentials':
      return link((props) => <Link {...props} to="/identities/$id/credentials" params={params} preload={false} />);
    case 'edit':
      return link((props) => <Link {...props} to="/identities/$id/traits/edit" params={params} preload={false} />);
    case 'connections':
      return link((props) => <Link {...props} to="/connections" preload={false} />);
    case 'message':
      return link((props) => <Link {...props} to="/messages/$id" params={{ id: help.id }} preload={false} />);
    default:
      return (
        <>
          <GuardedButton {...shown} reason={help.act === 'unlock' ? refusal : undefined} onClick={() => setOpen(true)}>
            {LABELS[help.act]}
          </GuardedButton>
          {open && help.act === 'unlock' && (
            <IdentityDialog name="unlock" identity={identity} account={help.account} onClose={close} />
          )}
          {open && help.act === 'verify' && (
            <IdentityDialog name="verify" identity={identity} address={help.address} onClose={close} />
          )}
          {open && help.act === 'activate' && <IdentityDialog name="changeState" identity={identity} onClose={close} />}
          {open && help.act === 'recovery' && <IdentityDialog name="recovery" identity={identity} onClose={close} />}
        </>
      );
  }
}
