import { useState } from 'react';
import { type Identity, identityPath } from '../../api/identities.ts';
import { useRefusal } from '../../api/session.ts';
import { ActionMenu, type MenuAction } from '../../record/actions.tsx';
import { GuardedButton, LinkButton } from '../../ui/buttons.tsx';
import { IconDoorExit, IconKey, IconUserCheck, IconUserOff } from '../../ui/icons.tsx';
import { lazyPart } from '../../ui/lazy-part.tsx';
import { IconLogout, IconTrash } from '../../ui/shell-icons.tsx';
import type { Help } from '../sign-in-diagnosis/diagnose.ts';
import type { IdentityAct } from './identity-dialogs.tsx';

/** All identity dialogs share one lazy chunk, since most visits change nothing. */
export const IdentityDialog = lazyPart(() => import('./identity-dialogs.tsx'), 'IdentityDialog');

type Action = MenuAction<{ identity: Identity }>;

const dialogOf = (act: IdentityAct): Action['dialog'] =>
  function Dialog(props) {
    return <IdentityDialog {...act} {...props} />;
  };

const actionsWith = (changeState: Omit<Action, 'dialog'>): readonly Action[] => [
  { label: 'Create recovery code…', icon: IconKey, beside: true, dialog: dialogOf({ act: 'recovery' }) },
  { label: 'End all sessions…', icon: IconLogout, dialog: dialogOf({ act: 'endSessions' }) },
  { label: 'Sign out everywhere…', icon: IconDoorExit, dialog: dialogOf({ act: 'signOutEverywhere' }) },
  { ...changeState, dialog: dialogOf({ act: 'changeState' }) },
  { label: 'Delete identity…', icon: IconTrash, final: true, dialog: dialogOf({ act: 'delete' }) },
];
const WHILE_ACTIVE = actionsWith({ label: 'Deactivate…', icon: IconUserOff });
const WHILE_INACTIVE = actionsWith({ label: 'Activate…', icon: IconUserCheck });

export const IdentityMenu = ({ identity }: { identity: Identity }) => (
  <ActionMenu
    subject={{ identity }}
    copy={{ path: identityPath(identity.id), value: identity }}
    actions={identity.state === 'active' ? WHILE_ACTIVE : WHILE_INACTIVE}
  />
);

const HELP_LABELS = {
  changeState: 'Activate…',
  recovery: 'Create recovery code…',
  unlock: 'Unlock account…',
  verify: 'Mark as verified…',
};

/** The remedy for a finding: opens a dialog or follows a link. @param props.about names the finding or address */
export function HelpButton({ identity, help, about }: { identity: Identity; help: Help; about: string }) {
  const [open, setOpen] = useState(false);
  const refusal = useRefusal('act' in help && help.act === 'unlock' ? 'locks.write' : 'upstreams.write');
  const label = 'act' in help ? HELP_LABELS[help.act] : help.label;
  const button = {
    size: 'xs',
    variant: 'default',
    'aria-label': `${label}: ${about}`,
    children: label,
  } as const;
  if (!('act' in help)) return <LinkButton {...button} to={help.to} params={help.params} />;
  return (
    <>
      <GuardedButton {...button} reason={refusal} onClick={() => setOpen(true)} />
      {open && <IdentityDialog {...help} identity={identity} onClose={() => setOpen(false)} />}
    </>
  );
}
