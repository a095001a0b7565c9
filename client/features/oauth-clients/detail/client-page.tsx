import { Badge, Button } from '@mantine/core';
import { Link, useLocation } from '@tanstack/react-router';
import type { ComponentType } from 'react';
import { clientPath, clientQuery, type OauthClient } from '../../../api/oauth-client-record.ts';
import { ActionMenu } from '../../../resource/detail/action-menu.tsx';
import { CopyableFact, HeadingFacts } from '../../../resource/detail/heading-facts.tsx';
import { recordPage } from '../../../resource/detail/record-page.tsx';
import { IconKey, IconPencil, IconTrash } from '../../../resource/icons.ts';
import { lazyPart } from '../../../ui/loading/lazy-part.tsx';
import { LoadingRows } from '../../../ui/loading/loading-rows.tsx';
import { PageHeading } from '../../../ui/page-heading.tsx';
import { clientName, textMember, usesSecret } from '../client-members.ts';
import { CLIENTS } from '../client-resource.ts';
import { ConfigurationTab } from './configuration-tab.tsx';
import { DeleteClient } from './delete-client.tsx';
import { DeveloperTab } from './developer-tab.tsx';
import { OverviewTab } from './overview-tab.tsx';
import { RotateSecret } from './rotate-secret.tsx';

const Timeline = lazyPart(
  () => import('./client-timeline.tsx'),
  'ClientTimeline',
  <LoadingRows label="Loading the timeline" rows={6} height={52} />,
);

export const ClientPage: ComponentType = recordPage(CLIENTS, {
  query: clientQuery,
  header: (client) => <ClientHeader client={client} />,
  tabs: [
    ['', 'Overview', OverviewTab],
    ['/configuration', 'Configuration', ConfigurationTab],
    ['/developer', 'For developers', DeveloperTab],
    ['/history', 'Timeline', Timeline],
  ],
  json: { about: 'As the OAuth server returned it; it never shows the secret.' },
});

function ClientHeader({ client }: { client: OauthClient }) {
  const { client_id: id } = client;
  const owner = textMember(client, 'owner');
  const editing = useLocation({ select: ({ pathname }) => pathname.endsWith('/edit') });
  return (
    <PageHeading
      title={clientName(client)}
      about={
        <HeadingFacts>
          <Badge component="span" variant="light" tt="none">
            {client.token_endpoint_auth_method === 'none' ? 'Public' : 'Confidential'}
          </Badge>
          {owner !== '' && <span>Owned by {owner}</span>}
          <CopyableFact label="Copy the client id" text={id} />
        </HeadingFacts>
      }
      actions={
        <>
          {!editing && (
            <Button
              leftSection={<IconPencil />}
              renderRoot={(props) => (
                <Link
                  {...props}
                  to="/oauth/clients/$id/edit"
                  params={{ id }}
                  state={(current) => current}
                  preload={false}
                />
              )}
            >
              Edit
            </Button>
          )}
          <ClientMenu client={client} />
        </>
      }
    />
  );
}

/** Clients that do not authenticate with a secret have none to rotate. */
const ClientMenu = ({ client }: { client: OauthClient }) => (
  <ActionMenu
    subject={{ client }}
    copy={{ path: clientPath(client.client_id), value: client }}
    actions={[
      ...(usesSecret(client.token_endpoint_auth_method)
        ? [{ label: 'Rotate the secret…', icon: IconKey, dialog: RotateSecret }]
        : []),
      { label: 'Delete…', icon: IconTrash, final: true, dialog: DeleteClient },
    ]}
  />
);
