import { Button, Group, NativeSelect, Paper, Stack, Table, Text, Title } from '@mantine/core';
import { useMemo, useState } from 'react';
import { ScrollTable } from '../../ui/outcome-table.tsx';
import { HEAD_ROWS, samplesShown, type TableBeginning } from './columns.ts';
import { columnNamed, PASSWORD_COLUMNS } from './file-password.ts';
import { mappingOf } from './guess-columns.ts';
import { SchemaChoice } from './import-choice.tsx';
import type { ImportSession } from './import-session.ts';
import { IMPORTED_MEMBERS, traitColumns } from './portable-identity.ts';

export function ImportMapping({ session, beginning }: { session: ImportSession; beginning: TableBeginning }) {
  const { schemas } = session.known;
  const { schemaId, mapping: earlier } = session.options();
  const traits = useMemo(() => {
    const selected = schemas.filter(({ id }) => id === schemaId);
    const all = (selected.length > 0 ? selected : schemas).flatMap(({ schema }) => traitColumns(schema));
    return [...new Map(all.map((trait) => [trait.column, trait])).values()];
  }, [schemas, schemaId]);
  const [chosen, setChosen] = useState<ReadonlyMap<number, string | undefined>>(() => new Map(earlier?.entries()));
  const mapping = useMemo(() => mappingOf(beginning, traits, chosen), [beginning, traits, chosen]);
  const mapped = mapping.filter((column) => column !== undefined);
  const duplicate = mapped.find((column, index) => column !== 'state' && mapped.indexOf(column) !== index);
  const problem =
    duplicate !== undefined
      ? `Two columns are mapped to ${PASSWORD_COLUMNS[duplicate] ?? duplicate}.`
      : mapped.some((column) => column === 'traits' || column.startsWith('traits.'))
        ? undefined
        : 'Map at least one column to a trait.';
  return (
    <Stack gap="md">
      <Paper withBorder p="md">
        <Stack gap="xs">
          <Title order={2}>Columns of {session.file()?.name}</Title>
          <Text size="sm">Choose what each column means. Likely meanings are selected. Nothing is imported yet.</Text>
          {beginning.note !== undefined && <Text size="sm">{beginning.note}</Text>}
          {beginning.names !== undefined && (
            <NativeSelect
              label="Column names"
              maw="24rem"
              data={[
                ...Array.from({ length: Math.max(HEAD_ROWS, Number(beginning.names) || 0) }, (_, index) => ({
                  value: String(index + 1),
                  label: `On line ${index + 1}`,
                })),
                { value: 'nowhere', label: 'The file has none' },
              ]}
              value={String(beginning.names)}
              onChange={({ currentTarget: { value } }) =>
                void session.change({ names: value === 'nowhere' ? value : Number(value), mapping: undefined })
              }
            />
          )}
          <SchemaChoice session={session} />
        </Stack>
      </Paper>
      <ScrollTable label="Columns of the file" head={['Column', 'Becomes']}>
        {beginning.header.map((name, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: a column is identified by its position; names may repeat
          <Table.Tr key={index}>
            <Table.Td style={{ overflowWrap: 'anywhere' }}>
              {columnNamed(name) ?? <em>column {index + 1}</em>}
              <Text size="xs" c="dimmed" maw="min(24rem, 40vw)" truncate>
                {samplesShown(beginning, index, mapping[index])}
              </Text>
            </Table.Td>
            <Table.Td>
              <NativeSelect
                size="xs"
                miw="8rem"
                maw="20rem"
                aria-label={`${columnNamed(name) ?? `Column ${index + 1}`} becomes`}
                value={mapping[index] ?? ''}
                data={[
                  { value: '', label: 'Skip this column' },
                  {
                    group: 'Traits',
                    items: traits.map(({ column, title }) => ({ value: column, label: labelOf(column, title) })),
                  },
                  {
                    group: 'Sign-in',
                    items: Object.entries(PASSWORD_COLUMNS).map(([value, label]) => ({ value, label })),
                  },
                  { group: 'Other', items: IMPORTED_MEMBERS },
                ]}
                onChange={({ currentTarget }) =>
                  setChosen(new Map([...chosen, [index, currentTarget.value || undefined]]))
                }
              />
            </Table.Td>
          </Table.Tr>
        ))}
      </ScrollTable>
      <Group gap="xs">
        <Button disabled={problem !== undefined} onClick={() => void session.change({ mapping })}>
          Check the file
        </Button>
        <Button variant="default" onClick={session.reset}>
          Choose another file
        </Button>
        <Text size="sm" role="status">
          {problem}
        </Text>
      </Group>
    </Stack>
  );
}

const labelOf = (column: string, title: string): string => {
  const path = column.slice('traits.'.length);
  return title === path ? path : `${title} (${path})`;
};
