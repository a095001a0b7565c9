import { Box, Button, Group, Paper, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { IdentityCredential } from '../../../shared/identity-credentials.ts';
import { type Identity, identityQuery } from '../../api/identities.ts';
import {
  type CredentialItem,
  credentialItems,
  credentialName,
  identityCredentialsQuery,
} from '../../api/identity-credentials.ts';
import { counted } from '../../lib/format-count.ts';
import { visibleText } from '../../lib/visible-text.ts';
import { useRecord } from '../../record/tabs.tsx';
import { RelativeTime } from '../../ui/facts.tsx';
import { LoadingRows } from '../../ui/loading.tsx';
import { QueryState } from '../../ui/query-state.tsx';
import { StatePanel } from '../../ui/state-panel.tsx';
import { IdentityDialog } from './identity-actions.tsx';

export function CredentialsTab() {
  const identity = useRecord(identityQuery);
  const query = useQuery(identityCredentialsQuery(identity.id));
  return (
    <Stack gap="xs">
      <QueryState query={query} loading={<LoadingRows label="Loading the credentials" height={120} />}>
        {(credentials) => <Credentials identity={identity} credentials={credentials} />}
      </QueryState>
    </Stack>
  );
}

function Credentials({ identity, credentials }: { identity: Identity; credentials: readonly IdentityCredential[] }) {
  const [deleting, setDeleting] = useState<CredentialItem>();
  const items = credentialItems(credentials);
  // Kratos also lists types that are not set up but that the schema allows.
  const notSet = credentials.filter(({ set }) => !set).map(({ type }) => credentialName(type));
  return (
    <>
      {items.length === 0 ? (
        <StatePanel
          kind="no-data"
          title="No credentials"
          text="The person cannot sign in. With a recovery code or link, they can set up credentials."
        />
      ) : (
        <Paper withBorder>
          <ul data-rows aria-label="Credentials">
            {items.map((item) => (
              <CredentialRow
                key={`${item.credential.type} ${item.identifier}`}
                item={item}
                onDelete={() => setDeleting(item)}
              />
            ))}
          </ul>
        </Paper>
      )}
      {notSet.length > 0 && (
        <Text size="sm" c="dimmed">
          Possible, but not set up: {notSet.join(', ')}.
        </Text>
      )}
      <Text size="xs" c="dimmed">
        Hashes, seeds and tokens are never sent to this browser.
      </Text>
      {deleting !== undefined && (
        <IdentityDialog
          act="deleteCredential"
          identity={identity}
          item={deleting}
          onClose={() => setDeleting(undefined)}
        />
      )}
    </>
  );
}

function CredentialRow({ item, onDelete }: { item: CredentialItem; onDelete: () => void }) {
  const { credential, identifier } = item;
  const { keys = [] } = credential;
  const name = credentialName(credential.type);
  const identifiers = identifier ?? credential.identifiers.join(', ');
  return (
    <Group component="li" gap="0.5rem 1rem" px="md" py="sm">
      <Box flex="1 1 12rem" miw={0}>
        <Text size="sm" fw={500}>
          {name}
          {keys.length > 1 && `, ${counted(keys.length, 'key', 'keys')}`}
          {identifiers !== '' && (
            <>
              {' · '}
              <bdi>{identifiers}</bdi>
            </>
          )}
        </Text>
        <Text size="xs" c="dimmed">
          Created <RelativeTime at={credential.created_at} />, updated <RelativeTime at={credential.updated_at} />
        </Text>
        {keys.length > 0 && (
          <Box
            component="ul"
            m="0.25rem 0 0"
            p="0 0 0 1.25rem"
            fz="xs"
            aria-label={`${name}: ${counted(keys.length, 'key', 'keys')}`}
          >
            {keys.map((key, index) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: names may be duplicates
              <li key={index}>
                {key.name === null ? 'Unnamed' : <bdi>{visibleText(key.name)}</bdi>}, added{' '}
                <RelativeTime at={key.added_at} />
              </li>
            ))}
          </Box>
        )}
      </Box>
      {credential.deletable ? (
        <Button
          size="xs"
          variant="default"
          aria-label={`Delete ${name}${identifier === undefined ? '' : ` ${identifier}`}`}
          onClick={onDelete}
        >
          Delete…
        </Button>
      ) : (
        <Text size="xs" c="dimmed">
          {credential.type === 'code' ? 'Removed with the address' : 'Only the person can remove it'}
        </Text>
      )}
    </Group>
  );
}
