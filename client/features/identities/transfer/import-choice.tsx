import { Alert, Button, Code, Group, List, NativeSelect, Paper, Stack, Text, Title } from '@mantine/core';
import { useState } from 'react';
import { type JsonSchema, traitsIn } from '../../../../shared/json.ts';
import type { IdentitySchema, SchemaList } from '../../../api/identity-schemas.ts';
import { fileName, saveFile } from '../../../lib/files.ts';
import { digits } from '../../../lib/format-count.ts';
import { RelativeTime } from '../../../ui/facts.tsx';
import { FileDrop } from '../../../ui/fields.tsx';
import { IconDownload, IconHistory } from '../../../ui/icons.tsx';
import classes from '../identities.module.css';
import { rememberedSchema, rememberSchema } from '../new-identity-page.tsx';
import { guessColumns, type TableBeginning, templateOf } from './columns.ts';
import { readBeginning } from './csv.ts';
import type { ImportProgress } from './import-progress.ts';
import { countOutcomes } from './import-run.ts';
import { STORE_MADE_MEMBERS, traitColumns } from './portable-identity.ts';
import { formatOf, textOf } from './transfer-file.ts';

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

/** Asks for the schema of identities that name none, unless there is only one schema. */
export function SchemaChoice(props: {
  known: SchemaList;
  schemaId: string | undefined;
  onSchema: (id: string) => void;
}) {
  const { schemas } = props.known;
  if (schemas.length < 2) return null;
  return (
    <NativeSelect
      label="Schema for identities that name none"
      maw="24rem"
      data={[
        ...(props.schemaId === undefined ? [{ value: '', label: 'Choose one', disabled: true }] : []),
        ...schemas.map(({ id }) => id),
      ]}
      value={props.schemaId ?? ''}
      onChange={({ currentTarget }) => {
        rememberSchema(currentTarget.value);
        props.onSchema(currentTarget.value);
      }}
    />
  );
}

/**
 * The one schema that the columns of a CSV file fit; undefined if none or several do, or if the list of schemas is
 * incomplete.
 */
export async function fittingSchema(file: File, { schemas, complete }: SchemaList): Promise<string | undefined> {
  if (!complete || (await formatOf(file)) !== 'csv') return undefined;
  // Problems with the file are reported by the check.
  const beginning = await readBeginning(textOf(file)).catch(() => undefined);
  if (beginning === undefined) return undefined;
  const [only, ...others] = schemas.filter(({ schema }) => fits(beginning, schema));
  return others.length === 0 ? only?.id : undefined;
}

/** Every column is known, and every required trait has a column. */
function fits(beginning: TableBeginning, schema: JsonSchema): boolean {
  const traits = traitColumns(schema);
  const mapping = guessColumns(beginning, traits);
  const { required } = traitsIn(schema);
  const covered = new Set(traits.filter(({ column }) => mapping.includes(column)).map(({ steps }) => steps[0]));
  return (
    covered.size > 0 &&
    beginning.header.every((name, index) => mapping[index] !== undefined || STORE_MADE_MEMBERS.includes(name.trim())) &&
    (Array.isArray(required) ? required : []).every((name) => covered.has(name))
  );
}

export function ImportChoice(props: {
  unfinished: readonly ImportProgress[];
  schemas: readonly IdentitySchema[];
  onFile: (file: File) => void;
}) {
  return (
    <Stack gap="md">
      {props.unfinished.map(({ fingerprint, total, outcomes, savedAt }) => (
        <Alert key={fingerprint} variant="default" icon={<IconHistory size={24} />} title="Unfinished import">
          {digits(countOutcomes(outcomes).all)} of {digits(total)} identities of a file were processed{' '}
          <RelativeTime at={new Date(savedAt).toISOString()} />. Choose the same file to continue.
        </Alert>
      ))}
      <FileDrop
        label="Choose a file, or drop it here"
        hint="CSV or NDJSON, as text"
        accept=".csv,.tsv,.txt,.ndjson,.jsonl,.json,text/csv,application/x-ndjson"
        onFile={props.onFile}
      />
      <FormatHelp schemas={props.schemas} />
    </Stack>
  );
}

function FormatHelp({ schemas }: { schemas: readonly IdentitySchema[] }) {
  const [schema] = schemas;
  const traits = traitColumns(schema?.schema)
    .filter(({ kind }) => kind === 'text')
    .slice(0, 2);
  const columns = ['schema_id', 'state', ...traits.map(({ column }) => column), 'metadata_public'];
  const line = {
    schema_id: schema?.id ?? '…',
    traits: Object.fromEntries(traits.slice(0, 1).map(({ steps }) => [steps[0], '…'])),
  };
  return (
    <Paper withBorder p="md">
      <Title order={2} size="h5" mb="xs">
        File format
      </Title>
      <List spacing="xs">
        <List.Item>
          <strong>CSV:</strong> the first line names the columns, such as{' '}
          <Code className={classes.code}>{columns.join(',')}</Code>. Text is written as it is; booleans as true and
          false, yes and no, or 1 and 0; lists, objects and numbers as JSON. If the columns have other names, you choose
          what each one means.
        </List.Item>
        <List.Item>
          <strong>NDJSON:</strong> one JSON object per line, such as{' '}
          <Code className={classes.code}>{JSON.stringify(line)}</Code>.
        </List.Item>
        <List.Item>
          <strong>Passwords:</strong> a column for plaintext passwords, or for password hashes from another system
          (bcrypt, argon2, scrypt, PBKDF2 and others). Neither is shown on this page or included in a report. Delete the
          file after the import.
        </List.Item>
        <List.Item>
          Also accepted: <Code>external_id</Code>, <Code>metadata_admin</Code>, <Code>verifiable_addresses</Code>, and{' '}
          <Code>credentials</Code> as the identity service imports them. Identities get new ids.
        </List.Item>
      </List>
      <Text size="sm" c="dimmed" mt="xs">
        Exports from this dashboard have this format.
      </Text>
      <ImportTemplate schemas={schemas} />
    </Paper>
  );
}
