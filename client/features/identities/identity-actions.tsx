import { Group } from '@mantine/core';
import { useState } from 'react';
import type { Capability } from '../../../shared/capabilities.ts';
import { type Identity, identityPath } from '../../api/identities.ts';
import { useCan, useRefusal } from '../../api/session.ts';
import { ActionMenu, type MenuAction } from '../../record/actions.tsx';
import { GuardedButton, LinkButton } from '../../ui/buttons.tsx';
import { IconDoorExit, IconKey, IconUserCheck, IconUserOff } from '../../ui/icons.tsx';
import { lazyPart } from '../../ui/lazy-part.tsx';
import { IconLogout, IconMail, IconTrash } from '../../ui/shell-icons.tsx';
import type { Help } from '../sign-in-diagnosis/diagnose.ts';
import type { PlainAct } from './identity-dialogs.tsx';

/** All identity dialogs share one lazy chunk, since most visits change nothing. */
export const IdentityDialog = lazyPart(() => import('./identity-dialogs.tsx'), 'IdentityDialog');

type Action = MenuAction<{ identity: Identity }>;

const action = (label: string, icon: Action['icon'], act: PlainAct, rest: Partial<Action>): Action => ({
  label,
  icon,
  dialog: (props) => <IdentityDialog act={act} {...props} />,
  ...rest,
});

const actionsWith = (changeState: string, icon: Action['icon']): readonly Action[] => [
  action('Send recovery link…', IconMail, 'sendRecovery', { needs: 'identities.recover', beside: true }),
  action('Create recovery code…', IconKey, 'recovery', { beside: true }),
  action('End all sessions…', IconLogout, 'endSessions', { needs: 'sessions.end' }),
  action('Sign out everywhere…', IconDoorExit, 'signOutEverywhere', { needs: 'sessions.end' }),
  action(changeState, icon, 'changeState', { needs: 'identities.state' }),
  action('Delete identity…', IconTrash, 'delete', { final: true }),
];
const WHILE_ACTIVE = actionsWith('Deactivate…', IconUserOff);
const WHILE_INACTIVE = actionsWith('Activate…', IconUserCheck);

export const IdentityMenu = ({ identity }: { identity: Identity }) => (
  <ActionMenu
    subject={{ identity }}
    copy={{ path: identityPath(identity.id), value: identity }}
    actions={identity.state === 'active' ? WHILE_ACTIVE : WHILE_INACTIVE}
  />
);

interface HelpProps {
  identity: Identity;
  /** Names the finding or address. */
  about: string;
}

/** The remedy for a finding: opens a dialog or follows a link. A recovery link is offered if it can be sent. */
export function HelpButton({ help, ...props }: HelpProps & { help: Help }) {
  const may = useCan();
  if (!('act' in help))
    return <LinkButton {...buttonWith(help.label, props.about)} to={help.to} params={help.params} />;
  const sends = help.act === 'recovery' && props.identity.recovery_addresses?.some(({ via }) => via === 'email');
  return (
    <Group gap="xs">
      {sends && <ActButton {...props} help={{ act: 'sendRecovery' }} />}
      {(!sends || may('upstreams.write')) && <ActButton {...props} help={help} />}
    </Group>
  );
}

type HelpAct = Extract<Help, { act: string }> | { act: 'sendRecovery' };

const HELP_ACTS: Record<HelpAct['act'], readonly [label: string, needs: Capability]> = {
  changeState: ['Activate…', 'identities.state'],
  recovery: ['Create recovery code…', 'upstreams.write'],
  sendRecovery: ['Send recovery link…', 'identities.recover'],
  unlock: ['Unlock account…', 'locks.write'],
  verify: ['Mark as verified…', 'upstreams.write'],
};

function ActButton({ identity, help, about }: HelpProps & { help: HelpAct }) {
  const [open, setOpen] = useState(false);
  const [label, needs] = HELP_ACTS[help.act];
  return (
    <>
      <GuardedButton {...buttonWith(label, about)} reason={useRefusal(needs)} onClick={() => setOpen(true)} />
      {open && <IdentityDialog {...help} identity={identity} onClose={() => setOpen(false)} />}
    </>
  );
}

const buttonWith = (label: string, about: string) =>
  ({ size: 'xs', variant: 'default', 'aria-label': `${label}: ${about}`, children: label }) as const;
