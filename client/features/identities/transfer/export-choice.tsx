import '@mantine/core/styles/Input.layer.css';
import '@mantine/core/styles/InlineInput.layer.css';
import '@mantine/core/styles/Radio.layer.css';
import '@mantine/core/styles/List.layer.css';
import { Button, Group, List, Paper, Radio, Stack } from '@mantine/core';
import { useState } from 'react';
import type { TransferFormat } from './transfer-file.ts';

/** What an export holds, and in which format. */
export function ExportChoice({ onStart }: { onStart: (format: TransferFormat) => void }) {
  const [format, setFormat] = useState<TransferFormat>('csv');
  return (
    <Paper withBorder p="md">
      <Stack gap="md">
        <Radio.Group label="Format" value={format} onChange={(value) => setFormat(value as TransferFormat)}>
          <Stack gap="xs" mt="xs">
            <Radio value="csv" label="CSV: one column for each trait; lists, objects and numbers as JSON" />
            <Radio value="ndjson" label="NDJSON: one JSON object on each line" />
          </Stack>
        </Radio.Group>
        <List size="sm" spacing={4}>
          <List.Item>Each identity with schema, state, traits, external id and both kinds of metadata.</List.Item>
          <List.Item>No ids, no passwords or other credentials, no sessions, no verification of addresses.</List.Item>
          <List.Item>
            Identities that change or come while it runs may be there in either state, or be missing.
          </List.Item>
          <List.Item>
            The file is exact, so that it can be imported. A spreadsheet program may run values that begin with = + - or
            @ as formulas: open it there as text only.
          </List.Item>
        </List>
        <Group>
          <Button onClick={() => onStart(format)}>Export all identities</Button>
        </Group>
      </Stack>
    </Paper>
  );
}
