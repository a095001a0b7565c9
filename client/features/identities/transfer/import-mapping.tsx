import { Button, Group, NativeSelect, Paper, Stack, Table, Text, Title } from '@mantine/core';
import { useMemo, useState } from 'react';
import type { SchemaList } from '../../../api/identity-schemas.ts';
import { ScrollFrame } from '../../../ui/layout.tsx';
import classes from '../identities.module.css';
import { type ColumnMapping, guessColumns, HEAD_ROWS, MEMBER_COLUMNS, samplesShown } from './columns.ts';
import { columnNamed, PASSWORD_COLUMNS } from './file-password.ts';
import { SchemaChoice } from './import-choice.tsx';
import type { SaidOfFile } from './import-session.ts';
import { type TraitColumn, traitColumns } from './portable-identity.ts';
import type { FileBeginning } from './read-identities.ts';

/** Asks what the columns of a file mean when its header does not use our names. */
export function ImportMapping(props: {
  name: string;
  beginning: FileBeginning;
  /** What the columns were said to mean before. */
  earlier: ColumnMapping | undefined;
  known: SchemaList;
  schemaId: string | undefined;
  onSchema: (id: string) => void;
  onSaid: (said: SaidOfFile) => void;
  onOther: () => void;
}) {
  const { beginning, known, schemaId } = props;
  const traits = useMemo(() => {
    const chosen = known.schemas.filter(({ id }) => id === schemaId);
    return uniqueColumns((chosen.length > 0 ? chosen : known.schemas).flatMap(({ schema }) => traitColumns(schema)));
  }, [known, schemaId]);
  const [byHand, setByHand] = useState<ByHand>(() => new Map(props.earlier?.entries()));
  const mapping = useMemo(() => mappingOf(beginning, traits, byHand), [beginning, traits, byHand]);
  const mapped = mapping.filter((column) => column !== undefined);
  const twice = mapped.find((column, index) => column !== 'state' && mapped.indexOf(column) !== index);
  const problem =
    twice !== undefined
      ? `Two columns become ${PASSWORD_COLUMNS[twice] ?? twice}.`
      : mapped.some((column) => column === 'traits' || column.startsWith('traits.'))
        ? undefined
        : 'No column becomes a trait yet.';
  return (
    <Stack gap="md">
      <Paper withBorder p="md">
        <Stack gap="xs">
          <Title order={2} size="h4" style={{ overflowWrap: 'anywhere' }}>
            What the columns of {props.name} mean
          </Title>
          <Text size="sm">Their likely meanings are filled in. Nothing is sent yet.</Text>
          {beginning.names !== undefined && (
            <NativeSelect
              label="Names of the columns"
              maw="24rem"
              data={[
                ...Array.from({ length: Math.max(HEAD_ROWS, Number(beginning.names) || 0) }, (_, index) => ({
                  value: String(index + 1),
                  label: `The names are in line ${index + 1}`,
                })),
                { value: 'nowhere', label: 'The file has no names' },
              ]}
              value={String(beginning.names)}
              onChange={({ currentTarget: { value } }) =>
                props.onSaid({ names: value === 'nowhere' ? value : Number(value), mapping: undefined })
              }
            />
          )}
          <SchemaChoice known={known} schemaId={schemaId} onSchema={props.onSchema} />
        </Stack>
      </Paper>
      <ScrollFrame label="Columns of the file">
        <Table verticalSpacing={6}>
          <Table.Thead>
            <Table.Tr>
              <Table.Th>Column</Table.Th>
              <Table.Th className={classes.beside}>For example</Table.Th>
              <Table.Th>Becomes</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {beginning.header.map((name, index) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: a column is identified by its position; names may repeat
              <Table.Tr key={index}>
                <Table.Td className={classes.text}>
                  {columnNamed(name) ?? <em>column {index + 1}</em>}
                  <Text size="xs" c="dimmed" className={classes.below}>
                    {samplesShown(beginning, index, mapping[index])}
                  </Text>
                </Table.Td>
                <Table.Td className={`${classes.cell} ${classes.beside}`}>
                  {samplesShown(beginning, index, mapping[index])}
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
                      { group: 'Others', items: [...MEMBER_COLUMNS] },
                    ]}
                    onChange={({ currentTarget }) =>
                      setByHand(new Map([...byHand, [index, currentTarget.value || undefined]]))
                    }
                  />
                </Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </ScrollFrame>
      <Group gap="xs">
        <Button disabled={problem !== undefined} onClick={() => props.onSaid({ mapping })}>
          Check the file
        </Button>
        <Button variant="default" onClick={props.onOther}>
          Choose another file
        </Button>
        <Text size="sm" role="status">
          {problem}
        </Text>
      </Group>
    </Stack>
  );
}

/** Chosen by the operator, for columns by their position. */
type ByHand = ReadonlyMap<number, string | undefined>;

/** Guesses around what was chosen by hand, as far as the schema has it; with another schema it is there again. */
export function mappingOf(beginning: FileBeginning, traits: readonly TraitColumn[], byHand: ByHand): ColumnMapping {
  const has = (column: string | undefined): boolean =>
    !column?.startsWith('traits.') || traits.some((trait) => trait.column === column);
  const kept = new Map([...byHand].filter(([, column]) => has(column)));
  const taken = [...kept.values()];
  return guessColumns(beginning, traits).map((guess, index) => {
    if (kept.has(index)) return kept.get(index);
    return guess === 'state' || !taken.includes(guess) ? guess : undefined;
  });
}

const uniqueColumns = (traits: readonly TraitColumn[]): TraitColumn[] => [
  ...new Map(traits.map((trait) => [trait.column, trait])).values(),
];

const labelOf = (column: string, title: string): string => {
  const path = column.slice('traits.'.length);
  return title === path ? path : `${title} (${path})`;
};
