import { Button, Paper, Text } from '@mantine/core';
import { useState } from 'react';
import { EmptyState } from '../../../ui/empty-state.tsx';
import { useLoadedIdentity } from '../use-loaded-identity.ts';
import { type CredentialItem, credentialItems } from './credential-items.ts';
import { credentialName } from './credential-names.ts';
import { DeleteCredential } from './delete-credential.tsx';
import classes from './plain-list.module.css';
import { TimeOrUnknown } from './time-or-unknown.tsx';

export function CredentialsTab() {
  const identity = useLoadedIdentity();
  const [deleting, setDeleting] = useState<CredentialItem>();
  const items = credentialItems(identity.credentials);
  if (items.length === 0) {
    return (
      <EmptyState
        kind="no-data"
        title="No credentials"
        text="This identity cannot sign in yet. A recovery code or link lets the person set a password."
      />
    );
  }
  return (
    <>
      <Paper withBorder>
        <ul className={classes.list} aria-label="Credentials">
          {items.map((item) => {
            const name = credentialName(item.type);
            const identifiers = item.identifier ?? item.credential.identifiers?.toSorted().join(', ');
            return (
              <li key={`${item.type} ${item.identifier}`} className={classes.item}>
                <div>
                  <Text size="sm" fw={500}>
                    {name}
                    {identifiers !== undefined && identifiers !== '' && ` · ${identifiers}`}
                  </Text>
                  <Text size="xs" c="dimmed">
                    Created <TimeOrUnknown at={item.credential.created_at} />, updated{' '}
                    <TimeOrUnknown at={item.credential.updated_at} />
                  </Text>
                </div>
                <Button
                  size="compact-sm"
                  variant="default"
                  aria-label={`Delete ${name}${item.identifier === undefined ? '' : ` ${item.identifier}`}`}
                  onClick={() => setDeleting(item)}
                >
                  Delete…
                </Button>
              </li>
            );
          })}
        </ul>
      </Paper>
      <Text size="xs" c="dimmed" mt="xs">
        Hashes, seeds and tokens stay in the identity service: they are never asked for. A password may be listed with
        its identifiers although none was ever set.
      </Text>
      {deleting !== undefined && (
        <DeleteCredential
          identity={identity}
          type={deleting.type}
          identifier={deleting.identifier}
          onClose={() => setDeleting(undefined)}
        />
      )}
    </>
  );
}
