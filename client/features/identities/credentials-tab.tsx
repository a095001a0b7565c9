import '@mantine/core/styles/Table.layer.css';
import { Button, Paper, Table, Text } from '@mantine/core';
import { useState } from 'react';
import type { Credential } from '../../api/identities-record.ts';
import { EmptyState } from '../../ui/empty-state.tsx';
import { credentialName } from './credential-names.ts';
import { DeleteCredential } from './delete-credential.tsx';
import { KnownTime } from './known-time.tsx';
import { useLoadedIdentity } from './use-loaded-identity.ts';

/** A sign-in at a provider is deleted by itself, any other type as a whole. */
interface Row {
  type: string;
  credential: Credential;
  /** Undefined for the whole type. */
  identifier: string | undefined;
}

const SEVERAL = new Set(['oidc', 'saml', 'deviceauthn']);

export function rowsOf(credentials: Record<string, Credential> = {}): Row[] {
  return Object.entries(credentials).flatMap(([type, credential]): Row[] => {
    const identifiers = credential.identifiers ?? [];
    if (!SEVERAL.has(type) || identifiers.length === 0) return [{ type, credential, identifier: undefined }];
    return identifiers.toSorted().map((identifier) => ({ type, credential, identifier }));
  });
}

export function CredentialsTab() {
  const identity = useLoadedIdentity();
  const [deleting, setDeleting] = useState<Row>();
  const rows = rowsOf(identity.credentials);
  if (rows.length === 0) {
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
      <Paper withBorder style={{ overflowX: 'auto' }}>
        <Table verticalSpacing="sm" horizontalSpacing="md">
          <Table.Thead>
            <Table.Tr>
              <Table.Th>Type</Table.Th>
              <Table.Th>Identifiers</Table.Th>
              <Table.Th>Created</Table.Th>
              <Table.Th>Updated</Table.Th>
              <Table.Th aria-label="Actions" />
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {rows.map((row) => (
              <Table.Tr key={`${row.type} ${row.identifier}`}>
                <Table.Td>{credentialName(row.type)}</Table.Td>
                <Table.Td style={{ overflowWrap: 'anywhere' }}>
                  {row.identifier ?? row.credential.identifiers?.toSorted().join(', ')}
                </Table.Td>
                <Table.Td>
                  <KnownTime at={row.credential.created_at} />
                </Table.Td>
                <Table.Td>
                  <KnownTime at={row.credential.updated_at} />
                </Table.Td>
                <Table.Td ta="end">
                  <Button
                    size="compact-sm"
                    variant="default"
                    aria-label={`Delete ${credentialName(row.type)} ${row.identifier ?? ''}`.trim()}
                    onClick={() => setDeleting(row)}
                  >
                    Delete…
                  </Button>
                </Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
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
