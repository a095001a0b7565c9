import { Button, Paper, Text } from '@mantine/core';
import { useState } from 'react';
import type { Credential } from '../../api/identities-record.ts';
import { EmptyState } from '../../ui/empty-state.tsx';
import { credentialName } from './credential-names.ts';
import { DeleteCredential } from './delete-credential.tsx';
import { KnownTime } from './known-time.tsx';
import classes from './plain-list.module.css';
import { useLoadedIdentity } from './use-loaded-identity.ts';

/** A sign-in at a provider is deleted by itself, any other type as a whole. */
interface CredentialItem {
  type: string;
  credential: Credential;
  /** Undefined for the whole type. */
  identifier: string | undefined;
}

/** Types of which an identity may have several, told apart by their identifier. */
const SEVERAL = new Set(['oidc', 'saml', 'deviceauthn']);

export function credentialItems(credentials: Record<string, Credential> = {}): CredentialItem[] {
  return Object.entries(credentials).flatMap(([type, credential]): CredentialItem[] => {
    const identifiers = credential.identifiers ?? [];
    if (!SEVERAL.has(type) || identifiers.length === 0) return [{ type, credential, identifier: undefined }];
    return identifiers.toSorted().map((identifier) => ({ type, credential, identifier }));
  });
}

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
                    Created <KnownTime at={item.credential.created_at} />, updated{' '}
                    <KnownTime at={item.credential.updated_at} />
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
