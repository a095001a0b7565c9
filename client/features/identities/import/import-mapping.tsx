import { useState } from 'react';
import type { KnownSchemas } from '../../../api/identity-schemas.ts';
import { Button } from '../../../ui/elements/button.tsx';
import { NativeSelect } from '../../../ui/elements/field.tsx';
import { Group, Paper, Stack } from '../../../ui/elements/layout.tsx';
import { Table } from '../../../ui/elements/table.tsx';
import { Text, Title } from '../../../ui/elements/text.tsx';
import { useResettingState } from '../../../ui/hooks/use-resetting-state.ts';
import { ScrollFrame } from '../../../ui/scroll-frame.tsx';
import { type ColumnMapping, MEMBER_COLUMNS } from '../transfer/csv-columns.ts';
import type { CsvBeginning } from '../transfer/read-csv.ts';
import { type TraitColumn, traitColumns } from '../transfer/trait-columns.ts';
import classes from '../transfer/transfer.module.css';
import { columnNamed, PASSWORD_COLUMNS } from './file-password.ts';
import { guessColumns } from './guess-columns.ts';
import { samplesShown } from './samples-shown.ts';
import { SchemaChoice } from './schema-choice.tsx';

/** Asks what the columns of a file mean when its header does not use our names. */
export function ImportMapping(props: {
  name: string;
  beginning: CsvBeginning;
  /** What the columns were said to mean before. */
  earlier: ColumnMapping | undefined;
  known: KnownSchemas;
  schemaId: string | undefined;
  onSchema: (id: string) => void;
  onMapped: (mapping: ColumnMapping) => void;
  onOther: () => void;
}) {
  const { beginning, known, schemaId } = props;
  const ofSchema = known.schemas.filter(({ id }) => id === schemaId);
  const traits = uniqueColumns(
    (ofSchema.length > 0 ? ofSchema : known.schemas).flatMap(({ schema }) => traitColumns(schema)),
  );
  const [chosen, setChosen] = useState<ReadonlyMap<number, string | undefined>>(
    () => new Map(props.earlier?.entries()),
  );
  // Another schema has other traits; what the operator has chosen stays as far as there is such a trait.
  const [mapping, setMapping] = useResettingState(guessColumns(beginning, traits, chosen), schemaId);
  const choose = (index: number, column: string | undefined): void => {
    setChosen(new Map(chosen).set(index, column));
    setMapping(mapping.with(index, column));
  };
  const mapped = mapping.filter((column) => column !== undefined);
  const twice = mapped.find((column, index) => mapped.indexOf(column) !== index);
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
          <Text size="sm">
            The first line is used as column names, and their likely meanings are filled in. Nothing is sent yet.
          </Text>
          <SchemaChoice known={known} schemaId={schemaId} onSchema={props.onSchema} />
        </Stack>
      </Paper>
      <ScrollFrame label="Columns of the file">
        <Table verticalSpacing={6}>
          <thead>
            <tr>
              <th>Column</th>
              <th className={classes.beside}>For example</th>
              <th>Becomes</th>
            </tr>
          </thead>
          <tbody>
            {beginning.header.map((name, index) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: a column is identified by its position; names may repeat
              <tr key={index}>
                <td className={classes.text}>
                  {columnNamed(name) ?? <em>column {index + 1}</em>}
                  <Text size="xs" c="dimmed" className={classes.below}>
                    {samplesShown(beginning, index, mapping[index])}
                  </Text>
                </td>
                <td className={`${classes.cell} ${classes.beside}`}>
                  {samplesShown(beginning, index, mapping[index])}
                </td>
                <td>
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
                    onChange={({ currentTarget }) => choose(index, currentTarget.value || undefined)}
                  />
                </td>
              </tr>
            ))}
          </tbody>
        </Table>
      </ScrollFrame>
      <Group gap="xs">
        <Button disabled={problem !== undefined} onClick={() => props.onMapped(mapping)}>
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

const uniqueColumns = (traits: readonly TraitColumn[]): TraitColumn[] => [
  ...new Map(traits.map((trait) => [trait.column, trait])).values(),
];

const labelOf = (column: string, title: string): string => {
  const path = column.slice('traits.'.length);
  return title === path ? path : `${title} (${path})`;
};
