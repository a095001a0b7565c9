import { Alert } from '@mantine/core';
import type { KnownSchemas } from '../../api/identity-schemas.ts';

/** That there may be other schemas than those the page knows; nothing where it knows them all. */
export function SchemasIncomplete({ schemas, complete }: KnownSchemas) {
  if (complete) return null;
  return (
    <Alert variant="default" role="status" title="The identity service cannot list its schemas">
      Most likely the address of one of them does not answer. These were found through its identities, and can be read:{' '}
      {schemas.map(({ id }) => id).join(', ')}.
    </Alert>
  );
}
