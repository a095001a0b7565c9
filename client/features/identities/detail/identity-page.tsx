import { Badge, Button } from '@mantine/core';
import { Link, useMatchRoute } from '@tanstack/react-router';
import type { ComponentType } from 'react';
import { type Identity, identityPath, identityQuery } from '../../../api/identities-record.ts';
import { identityIdIn } from '../../../format/identity-id.ts';
import { identifierOf, nameOf } from '../../../format/identity-name.ts';
import { visibleText } from '../../../format/visible-text.ts';
import { ActionMenu } from '../../../resource/detail/action-menu.tsx';
import { CopyableFact, HeadingFacts } from '../../../resource/detail/heading-facts.tsx';
import { recordPage } from '../../../resource/detail/record-page.tsx';
import { IconKey, IconPencil, IconTrash } from '../../../resource/icons.ts';
import { IconLogout } from '../../../ui/icons.ts';
import { lazyPart } from '../../../ui/loading/lazy-part.tsx';
import { LoadingRows } from '../../../ui/loading/loading-rows.tsx';
import { PageHeading } from '../../../ui/page-heading.tsx';
import { formatState } from '../format-state.ts';
import { IDENTITIES } from '../identity-resource.ts';
import { CredentialsTab } from './credentials-tab.tsx';
import type { IdentityDialogName } from './identity-dialogs.tsx';
import { IconDoorExit, IconUserCheck, IconUserOff } from './identity-icons.ts';
import { MessagesTab } from './messages-tab.tsx';
import { OverviewTab } from './overview-tab.tsx';
import { SessionsTab } from './sessions-tab.tsx';
import { TraitsTab } from './traits-tab.tsx';
import { useTabCounts } from './use-tab-counts.ts';

const Timeline = lazyPart(
  () => import('../timeline/person-timeline.tsx'),
  'PersonTimeline',
  <LoadingRows label="Loading the timeline" rows={6} height={52} />,
);

export const IdentityPage: ComponentType = recordPage(IDENTITIES, {
  query: identityQuery,
  isId: (id) => identityIdIn(id) !== undefined,
  header: (identity) => <IdentityHeader identity={identity} />,
  tabs: [
    ['', 'Overview', OverviewTab],
    ['/traits', 'Traits and metadata', TraitsTab],
    ['/credentials', 'Credentials', CredentialsTab],
    ['/sessions', 'Sessions', SessionsTab],
    ['/consents', 'Consents'],
    ['/messages', 'Messages', MessagesTab],
    ['/history', 'Timeline', Timeline],
  ],
  useCounts: useTabCounts,
  json: { about: 'As the identity service returned it. Secrets of credentials are never requested.' },
});

function IdentityHeader({ identity }: { identity: Identity }) {
  const { id, state } = identity;
  const identifier = identifierOf(identity);
  const edit = { to: '/identities/$id/traits/edit', params: { id } } as const;
  const editing = useMatchRoute()(edit) !== false;
  return (
    <PageHeading
      title={nameOf(identity) ?? identifier ?? 'Unnamed identity'}
      about={
        <HeadingFacts>
          <Badge
            component="span"
            variant={state === 'active' ? 'light' : 'default'}
            color={state === 'active' ? undefined : 'gray'}
            tt="none"
          >
            {formatState(state)}
          </Badge>
          {identifier !== undefined && (
            <CopyableFact label="Copy the identifier" text={identifier}>
              <bdi>{visibleText(identifier)}</bdi>
            </CopyableFact>
          )}
          <CopyableFact label="Copy the id" text={id} />
        </HeadingFacts>
      }
      actions={
        <>
          {!editing && (
            <Button
              leftSection={<IconPencil />}
              renderRoot={(props) => <Link {...props} {...edit} state={(current) => current} preload={false} />}
            >
              Edit
            </Button>
          )}
          <IdentityMenu identity={identity} />
        </>
      }
    />
  );
}

const IdentityDialog = lazyPart(() => import('./identity-dialogs.tsx'), 'IdentityDialog');

const dialogOf = (name: IdentityDialogName) => (props: { identity: Identity; onClose: () => void }) => (
  <IdentityDialog name={name} {...props} />
);
const RecoveryDialog = dialogOf('recovery');
const RevokeSessions = dialogOf('endSessions');
const SignOutEverywhere = dialogOf('signOutEverywhere');
const ChangeState = dialogOf('changeState');
const DeleteIdentity = dialogOf('delete');

function IdentityMenu({ identity }: { identity: Identity }) {
  const active = identity.state === 'active';
  return (
    <ActionMenu
      subject={{ identity }}
      copy={{ path: identityPath(identity.id), value: identity }}
      actions={[
        { label: 'Recovery link…', icon: IconKey, beside: true, dialog: RecoveryDialog },
        { label: 'End all sessions…', icon: IconLogout, dialog: RevokeSessions },
        { label: 'Sign this person out everywhere…', icon: IconDoorExit, dialog: SignOutEverywhere },
        active
          ? { label: 'Deactivate…', icon: IconUserOff, dialog: ChangeState }
          : { label: 'Activate…', icon: IconUserCheck, dialog: ChangeState },
        { label: 'Delete…', icon: IconTrash, final: true, dialog: DeleteIdentity },
      ]}
    />
  );
}
