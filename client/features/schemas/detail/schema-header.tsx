import { Button, Text } from '@mantine/core';
import { IconUserPlus } from '@tabler/icons-react';
import { Link } from '@tanstack/react-router';
import type { IdentitySchema } from '../../../api/identity-schemas.ts';
import { useCan } from '../../../api/session.ts';
import { CopyButton } from '../../../ui/copy-button.tsx';
import { PageHeading } from '../../../ui/page-heading.tsx';
import { visibleText } from '../../../ui/visible-text.ts';
import { schemaName } from '../schema-words.ts';
import classes from './schema-header.module.css';

export function SchemaHeader({ schema }: { schema: IdentitySchema }) {
  const { id } = schema;
  const may = useCan();
  return (
    <PageHeading
      title={schemaName(schema)}
      about={
        <span className={classes.copyable}>
          <Text span size="xs" ff="monospace">
            {visibleText(id)}
          </Text>
          <CopyButton label="Copy the schema id" read={() => id} />
        </span>
      }
      actions={
        may('identities.write') && (
          <Button
            leftSection={<IconUserPlus size={16} aria-hidden />}
            renderRoot={(props) => <Link {...props} to="/identities/new" search={{ schema: id }} preload={false} />}
          >
            New identity of this schema
          </Button>
        )
      }
    />
  );
}
