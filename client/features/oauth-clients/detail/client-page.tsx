import { Badge, Button } from '@mantine/core';
import { Link, useLocation } from '@tanstack/react-router';
import type { ComponentType } from 'react';
import { clientPath, clientQuery, type OauthClient } from '../../../api/oauth-client-record.ts';
import { ActionMenu } from '../../../resource/detail/action-menu.tsx';
import { CopyableFact, HeadingFacts } from '../../../resource/detail/heading-facts.tsx';
import { recordPage } from '../../../resource/detail/record-page.tsx';
import { IconKey, IconPencil, IconTrash } from '../../../resource/icons.ts';
import { lazyDialog, lazyPanel } from '../../../ui/loading/lazy-part.tsx';
import { PageHeading } from '../../../ui/page-heading.tsx';
import { clientName, textMember, usesSecret } from '../client-members.ts';
import { CLIENTS } from '../client-resource.ts';

export const ClientPage: ComponentType = recordPage(CLIENTS, {
  query: clientQuery,
  header: (client) => <ClientHeader client={client} />,
  tabs: [
    ['', 'Overview'],
    ['/configuration', 'Configuration'],
    ['/developer', 'For developers'],
    ['/history', 'Timeline'],
    ['/json', 'JSON'],
  ],
  json: { about: 'As the OAuth server returned it; it never shows the secret.' },
  timeline: lazyPanel(() => import('./client-timeline.tsx'), 'ClientTimeline'),
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

const DeleteClient = lazyDialog(() => import('./delete-client.tsx'), 'DeleteClient');
const RotateSecret = lazyDialog(() => import('./rotate-secret.tsx'), 'RotateSecret');

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
