import { Badge, Button } from '@mantine/core';
import { Link, useLocation } from '@tanstack/react-router';
import type { OauthClient } from '../../../api/oauth-client-record.ts';
import { CopyableFact, HeadingFacts } from '../../../resource/detail/heading-facts.tsx';
import { IconPencil } from '../../../resource/icons.ts';
import { PageHeading } from '../../../ui/page-heading.tsx';
import { clientName, textMember } from '../client-words.ts';
import { ClientMenu } from './client-menu.tsx';

export function ClientHeader({ client }: { client: OauthClient }) {
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
