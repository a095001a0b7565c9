import { Badge } from '@mantine/core';
import { useLocation } from '@tanstack/react-router';
import type { ComponentType } from 'react';
import { text } from '../../../shared/json.ts';
import { clientPath, clientQuery, type OauthClient } from '../../api/oauth-clients.ts';
import { useCan } from '../../api/session.ts';
import { ActionMenu } from '../../record/actions.tsx';
import { recordPage } from '../../record/record-page.tsx';
import { CopyableFact, HeadingFacts } from '../../record/tabs.tsx';
import { ChangedByOther } from '../../record/timeline-sources.tsx';
import { LinkButton } from '../../ui/buttons.tsx';
import { IconKey, IconPencil } from '../../ui/icons.tsx';
import { PageHeading } from '../../ui/layout.tsx';
import { lazyPart } from '../../ui/lazy-part.tsx';
import { IconTrash } from '../../ui/shell-icons.tsx';
import { clientName, usesSecret } from './client-members.ts';
import { CLIENTS, clientPageQuery } from './client-resource.ts';
import { ConfigurationTab, OverviewTab, TimelineTab } from './client-tabs.tsx';
import { DeveloperTab } from './developer-tab.tsx';

const DeleteClient = lazyPart(() => import('./client-acts.tsx'), 'DeleteClient');
const RotateSecret = lazyPart(() => import('./client-secret.tsx'), 'RotateSecret');

export const ClientPage: ComponentType = recordPage(CLIENTS, {
  query: clientQuery,
  list: clientPageQuery,
  header: (client) => <ClientHeader client={client} />,
  tabs: [
    ['', 'Overview', OverviewTab],
    ['/configuration', 'Configuration', ConfigurationTab],
    ['/developer', 'For developers', DeveloperTab],
    ['/history', 'Timeline', TimelineTab],
  ],
  json: { about: 'As returned by the OAuth server, without the secret.' },
});

function ClientHeader({ client }: { client: OauthClient }) {
  const { client_id: id } = client;
  const owner = text(client.owner);
  const may = useCan();
  const editing = useLocation({ select: ({ pathname }) => pathname.endsWith('/edit') });
  return (
    <PageHeading
      title={clientName(client)}
      about={
        <HeadingFacts note={<ChangedByOther subject={`client:${id}`} />}>
          <Badge component="span" variant="light">
            {client.token_endpoint_auth_method === 'none' ? 'Public' : 'Confidential'}
          </Badge>
          {owner !== '' && <span style={{ overflowWrap: 'anywhere' }}>Owned by {owner}</span>}
          <CopyableFact what="client ID" text={id}>
            {clientName(client) === id ? 'No name' : undefined}
          </CopyableFact>
        </HeadingFacts>
      }
      actions={
        <>
          {!editing && may('upstreams.write') && (
            <LinkButton
              leftSection={<IconPencil />}
              to="/oauth/clients/$id/edit"
              params={{ id }}
              state={(current) => current}
            >
              Edit
            </LinkButton>
          )}
          <ActionMenu
            subject={{ client }}
            copy={{ path: clientPath(id), value: client }}
            actions={[
              // Clients that do not authenticate with a secret have none to rotate.
              ...(usesSecret(client.token_endpoint_auth_method)
                ? [{ label: 'Rotate secret…', icon: IconKey, dialog: RotateSecret }]
                : []),
              { label: 'Delete client…', icon: IconTrash, final: true, dialog: DeleteClient },
            ]}
          />
        </>
      }
    />
  );
}
