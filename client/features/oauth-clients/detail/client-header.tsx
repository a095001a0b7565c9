import { Badge, Button, Text } from '@mantine/core';
import { IconPencil } from '@tabler/icons-react';
import { Link, useLocation } from '@tanstack/react-router';
import type { OauthClient } from '../../../api/oauth-client-record.ts';
import { CopyButton } from '../../../ui/copy-button.tsx';
import { PageHeading } from '../../../ui/page-heading.tsx';
import { clientName, textMember } from '../client-words.ts';
import classes from './client-header.module.css';
import { ClientMenu } from './client-menu.tsx';

export function ClientHeader({ client }: { client: OauthClient }) {
  const { client_id: id } = client;
  const owner = textMember(client, 'owner');
  const editing = useLocation({ select: ({ pathname }) => pathname.endsWith('/edit') });
  return (
    <PageHeading
      title={clientName(client)}
      about={
        <span className={classes.facts}>
          <Badge component="span" variant="light" tt="none">
            {client.token_endpoint_auth_method === 'none' ? 'Public' : 'Confidential'}
          </Badge>
          {owner !== '' && <span>Owned by {owner}</span>}
          <span className={classes.copyable}>
            <Text span size="xs" ff="monospace">
              {id}
            </Text>
            <CopyButton label="Copy the client id" read={() => id} />
          </span>
        </span>
      }
      actions={
        <>
          {!editing && (
            <Button
              leftSection={<IconPencil size={16} aria-hidden />}
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
