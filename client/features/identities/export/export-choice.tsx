import { Button, Checkbox, Group, List, Paper, Radio, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import type { TransferFormat } from '../transfer/transfer-file.ts';
import { type ExportColumn, STORE_COLUMNS } from './export-columns.ts';

const FORMATS: readonly [TransferFormat, string][] = [
  ['csv', 'CSV: one column per trait; lists, objects and numbers as JSON'],
  ['ndjson', 'NDJSON: one JSON object per line'],
];

/** As many columns as fit. */
const COLUMNS = {
  display: 'grid',
  gridTemplateColumns: 'repeat(auto-fill, minmax(min(11rem, 45%), 1fr))',
  gap: 'var(--mantine-spacing-sm) var(--mantine-spacing-md)',
} as const;

/**
 * What to export and in which format.
 * @param columns all available columns
 * @param scope who is exported
 * @param onStart undefined if they are too many
 */
export function ExportChoice(props: {
  columns: readonly ExportColumn[];
  scope: 'all' | 'matching' | 'by-sign-in';
  onStart: ((format: TransferFormat, columns: readonly ExportColumn[], raw: boolean) => void) | undefined;
}) {
  const { scope, onStart } = props;
  const [format, setFormat] = useState<TransferFormat>('csv');
  const [raw, setRaw] = useState(false);
  const [without, setWithout] = useState<ReadonlySet<string>>(new Set());
  const columns = format === 'csv' ? props.columns : props.columns.filter(({ steps }) => steps === undefined);
  const chosen = columns.filter(({ name }) => !without.has(name));
  const toggle = (name: string): void =>
    setWithout(
      without.has(name) ? new Set([...without].filter((other) => other !== name)) : new Set([...without, name]),
    );
  return (
    <Paper withBorder p="md">
      <Stack gap="md">
        <fieldset style={{ margin: 0, padding: 0, border: 0 }}>
          <Text component="legend" size="sm" fw={500} mb="xs" p={0}>
            Format
          </Text>
          <Stack gap="xs">
            {FORMATS.map(([value, label]) => (
              <Radio
                key={value}
                name="format"
                label={label}
                checked={format === value}
                onChange={() => setFormat(value)}
              />
            ))}
          </Stack>
        </fieldset>
        <fieldset style={{ margin: 0, padding: 0, border: 0 }}>
          <Group gap="sm" mb="xs">
            <Text component="legend" size="sm" fw={500} p={0}>
              {format === 'csv' ? 'Columns' : 'Members'}
            </Text>
            <Button size="compact-xs" variant="default" onClick={() => setWithout(new Set())}>
              All
            </Button>
            <Button size="compact-xs" variant="default" onClick={() => setWithout(new Set(STORE_COLUMNS))}>
              Without ids and dates
            </Button>
          </Group>
          <div style={COLUMNS}>
            {columns.map(({ name }) => (
              <Checkbox
                key={name}
                label={labelOf(name, format)}
                checked={!without.has(name)}
                onChange={() => toggle(name)}
              />
            ))}
          </div>
        </fieldset>
        <List spacing={4}>
          <List.Item>
            Passwords and other credentials, sessions and the verification of addresses are not exported.
          </List.Item>
          <List.Item>Ids and dates are not imported elsewhere: the identity service there sets its own.</List.Item>
          {scope === 'all' ? (
            <List.Item>
              Identities that are changed or created during the export may appear in either state or be missing.
            </List.Item>
          ) : (
            <List.Item>
              Those that match are found at the start; each is read again, and whoever no longer matches is left out.
            </List.Item>
          )}
          {scope === 'by-sign-in' && (
            <List.Item>
              Sessions are not read again: whoever has signed in a moment ago may still be exported.
            </List.Item>
          )}
        </List>
        {format === 'csv' && (
          <Checkbox
            checked={!raw}
            onChange={({ currentTarget }) => setRaw(!currentTarget.checked)}
            label="Put an apostrophe before values that a spreadsheet program would run"
            description="They begin with = @ + or -. The import of this dashboard takes it off again. Without it, open the file in a spreadsheet program as text only."
          />
        )}
        <Group>
          <Button
            disabled={chosen.length === 0 || onStart === undefined}
            onClick={() => onStart?.(format, chosen, raw)}
          >
            {scope === 'all' ? 'Export all identities' : 'Export all that match'}
          </Button>
        </Group>
      </Stack>
    </Paper>
  );
}

const labelOf = (name: string, format: TransferFormat): string =>
  name === 'traits' && format === 'csv' ? 'traits (everything without a column)' : name;
