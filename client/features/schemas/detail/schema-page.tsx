import { Button } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import type { ComponentType } from 'react';
import type { IdentitySchema } from '../../../api/identity-schemas.ts';
import { useCan } from '../../../api/session.ts';
import { CopyableFact } from '../../../resource/detail/heading-facts.tsx';
import { recordPage } from '../../../resource/detail/record-page.tsx';
import { IconUserPlus } from '../../../ui/icons.ts';
import { PageHeading } from '../../../ui/page-heading.tsx';
import { schemaQuery } from '../schema-query.ts';
import { SCHEMAS } from '../schema-resource.ts';
import { schemaName } from '../schema-summary.ts';
import { FormTab } from './form-tab.tsx';
import { TraitsTab } from './traits-tab.tsx';

export const SchemaPage: ComponentType = recordPage(SCHEMAS, {
  query: schemaQuery,
  header: (schema) => <SchemaHeader schema={schema} />,
  tabs: [
    ['', 'Traits', TraitsTab],
    ['/form', 'Form', FormTab],
  ],
  json: { about: 'As the identity service returned it.', value: ({ schema }) => schema },
});

function SchemaHeader({ schema }: { schema: IdentitySchema }) {
  const { id } = schema;
  const may = useCan();
  return (
    <PageHeading
      title={schemaName(schema)}
      about={<CopyableFact label="Copy the schema id" text={id} />}
      actions={
        <>
          {may('identities.read') && (
            <Button
              variant="default"
              renderRoot={(props) => <Link {...props} to="/identities" search={{ schema: id }} preload={false} />}
            >
              Identities with this schema
            </Button>
          )}
          {may('upstreams.write') && (
            <Button
              leftSection={<IconUserPlus />}
              renderRoot={(props) => <Link {...props} to="/identities/new" search={{ schema: id }} preload={false} />}
            >
              New identity with this schema
            </Button>
          )}
        </>
      }
    />
  );
}
