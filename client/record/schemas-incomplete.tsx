import { Alert } from '@mantine/core';
import type { SchemaList } from '../api/identity-schemas.ts';

export function SchemasIncomplete({ schemas, complete }: SchemaList) {
  if (complete) return null;
  return (
    <Alert variant="default" role="status" title="The identity service cannot list its schemas">
      One of the schema URLs probably does not respond. Identities use these schemas, which can be read:{' '}
      {schemas.map(({ id }) => id).join(', ')}.
    </Alert>
  );
}
