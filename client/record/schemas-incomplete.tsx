import { Alert } from '@mantine/core';
import type { SchemaList } from '../api/identity-schemas.ts';

/** Warns that the list of schemas may be incomplete. */
export function SchemasIncomplete({ schemas, complete }: SchemaList) {
  if (complete) return null;
  return (
    <Alert variant="default" role="status" title="The identity service cannot list its schemas">
      Most likely the URL of one of them does not respond. These are used by identities and can be read:{' '}
      {schemas.map(({ id }) => id).join(', ')}.
    </Alert>
  );
}
