import { Button } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import type { IdentitySchema } from '../../../api/identity-schemas.ts';
import { useCan } from '../../../api/session.ts';
import { CopyableFact } from '../../../resource/detail/heading-facts.tsx';
import { IconUserPlus } from '../../../ui/icons.ts';
import { PageHeading } from '../../../ui/page-heading.tsx';
import { schemaName } from '../schema-words.ts';

export function SchemaHeader({ schema }: { schema: IdentitySchema }) {
  const { id } = schema;
  const may = useCan();
  return (
    <PageHeading
      title={schemaName(schema)}
      about={<CopyableFact label="Copy the schema id" text={id} />}
      actions={
        may('upstreams.write') && (
          <Button
            leftSection={<IconUserPlus />}
            renderRoot={(props) => <Link {...props} to="/identities/new" search={{ schema: id }} preload={false} />}
          >
            New identity of this schema
          </Button>
        )
      }
    />
  );
}
