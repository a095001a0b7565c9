import { Paper, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { IdentityCredential } from '../../../../shared/identity-credentials.ts';
import { identityQuery } from '../../../api/identities-record.ts';
import { useRecord } from '../../../resource/detail/use-record.tsx';
import { EmptyState } from '../../../ui/feedback/empty-state.tsx';
import { FailurePanel } from '../../../ui/feedback/failure-panel.tsx';
import { LoadingRows } from '../../../ui/loading/loading-rows.tsx';
import { type CredentialItem, credentialItems } from './credential-items.ts';
import { credentialName } from './credential-names.ts';
import { identityCredentialsQuery } from './credential-queries.ts';
import { CredentialRow } from './credential-row.tsx';
import { DeleteCredential } from './delete-credential.tsx';
import classes from './plain-list.module.css';

export function CredentialsTab() {
  const identity = useRecord(identityQuery);
  const { data: credentials, error, refetch } = useQuery(identityCredentialsQuery(identity.id));
  const [deleting, setDeleting] = useState<CredentialItem>();
  if (error !== null) return <FailurePanel error={error} onRetry={() => void refetch()} />;
  if (credentials === undefined) return <LoadingRows label="Loading the credentials" height={120} />;
  const items = credentialItems(credentials);
  return (
    <Stack gap="xs">
      {items.length === 0 ? (
        <EmptyState
          kind="no-data"
          title="No credentials"
          text="This identity cannot sign in yet. A recovery code or link lets the person set a password."
        />
      ) : (
        <Paper withBorder>
          <ul className={classes.list} aria-label="Credentials">
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
      <NotSet credentials={credentials} />
      <Text size="xs" c="dimmed">
        Hashes, seeds and tokens never reach this browser.
      </Text>
      {deleting !== undefined && (
        <DeleteCredential identity={identity} item={deleting} onClose={() => setDeleting(undefined)} />
      )}
    </Stack>
  );
}

/** Types that the schema allows, stated explicitly because the upstream lists them as if they were set up. */
function NotSet({ credentials }: { credentials: readonly IdentityCredential[] }) {
  const names = credentials.filter(({ set }) => !set).map(({ type }) => credentialName(type));
  if (names.length === 0) return null;
  return (
    <Text size="sm" c="dimmed">
      Possible, but not set up: {names.join(', ')}.
    </Text>
  );
}
