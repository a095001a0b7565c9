import { Button, Group, NativeSelect } from '@mantine/core';
import { useState } from 'react';
import type { IdentitySchema } from '../../../api/identity-schemas.ts';
import { fileName, saveFile } from '../../../lib/save-file.ts';
import { IconDownload } from '../../../resource/icons.ts';
import { rememberedSchema } from '../remembered-schema.ts';
import { templateOf } from '../transfer/csv-template.ts';

/** Downloads an empty spreadsheet with the columns of a schema. */
export function ImportTemplate({ schemas }: { schemas: readonly IdentitySchema[] }) {
  const [id, setId] = useState(() => rememberedSchema(schemas) ?? schemas[0]?.id);
  const chosen = schemas.find((schema) => schema.id === id);
  if (chosen === undefined) return null;
  return (
    <Group gap="xs" mt="sm" align="flex-end">
      {schemas.length > 1 && (
        <NativeSelect
          size="xs"
          label="Template for the schema"
          value={chosen.id}
          data={schemas.map((schema) => schema.id)}
          onChange={({ currentTarget }) => setId(currentTarget.value)}
        />
      )}
      <Button
        size="xs"
        variant="default"
        leftSection={<IconDownload size={14} />}
        onClick={() => saveFile(fileName(`identities-${chosen.id}`, 'csv'), templateOf(chosen))}
      >
        Save a template as CSV
      </Button>
    </Group>
  );
}
