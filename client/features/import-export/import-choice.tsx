import { Alert, Code, Group, List, NativeSelect, Paper, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { type IdentitySchema, rememberedSchema, rememberSchema } from '../../api/identity-schemas.ts';
import { fileName, saveFile } from '../../lib/files.ts';
import { digits } from '../../lib/format-count.ts';
import { SmallButton } from '../../ui/buttons.tsx';
import { RelativeTime } from '../../ui/facts.tsx';
import { IconFileUpload } from '../../ui/icons.tsx';
import { Dimmed, Section } from '../../ui/layout.tsx';
import { IconDownload, IconHistory } from '../../ui/shell-icons.tsx';
import { templateOf } from './columns.ts';
import classes from './import-export.module.css';
import { countOutcomes } from './import-run.ts';
import type { ImportSession } from './import-session.ts';

export function ImportChoice({ session }: { session: ImportSession }) {
  const { schemas } = session.known;
  return (
    <Stack gap="md">
      {session.unfinished().map(({ fingerprint, total, outcomes, savedAt }) => (
        <Alert key={fingerprint} variant="default" icon={<IconHistory size={24} />} title="Unfinished import">
          {digits(countOutcomes(outcomes).all)} of {digits(total)} identities of a file were processed{' '}
          <RelativeTime at={new Date(savedAt).toISOString()} />. Choose the same file to continue.
        </Alert>
      ))}
      <FileDrop onFile={(file) => void session.choose(file)} />
      <FormatHelp schemas={schemas} />
    </Stack>
  );
}

/** The field covers the label, so that it also takes a dropped file. */
function FileDrop({ onFile }: { onFile: (file: File) => void }) {
  return (
    <Paper component="label" pos="relative" className={classes.drop}>
      <input
        type="file"
        accept=".csv,.tsv,.txt,.ndjson,.jsonl,.json,text/csv,application/x-ndjson"
        onChange={({ currentTarget }) => {
          const [file] = currentTarget.files ?? [];
          if (file !== undefined) onFile(file);
          // Without a reset, choosing the same file again would not fire a change event.
          currentTarget.value = '';
        }}
      />
      <IconFileUpload size={28} stroke={1.5} />
      <Text span fw={500}>
        Choose a file, or drop it here
      </Text>
      <Dimmed span>CSV, NDJSON or JSON</Dimmed>
    </Paper>
  );
}

function FormatHelp({ schemas }: { schemas: readonly IdentitySchema[] }) {
  return (
    <Section title="File format">
      <List spacing="xs">
        <List.Item>
          <strong>CSV:</strong> the first line names the columns, such as <Code>schema_id,state,traits.email</Code>.
          Text is written as it is; booleans as true and false, yes and no, or 1 and 0; lists, objects and numbers as
          JSON. If the columns have other names, you choose what each one means.
        </List.Item>
        <List.Item>
          <strong>NDJSON:</strong> one JSON object per line, such as{' '}
          <Code>{'{"schema_id":"…","traits":{"email":"…"}}'}</Code>. <strong>JSON:</strong> such an object, a list of
          them, or an object with one list.
        </List.Item>
        <List.Item>
          <strong>Passwords:</strong> a column for plaintext passwords, or for password hashes from another system
          (bcrypt, argon2, scrypt, PBKDF2 and others). They never appear on this page or in a report. Delete the file
          after the import.
        </List.Item>
        <List.Item>
          Also accepted: <Code>external_id</Code>, <Code>metadata_admin</Code>, <Code>verifiable_addresses</Code>, and{' '}
          <Code>credentials</Code> as the identity service imports them. Identities get new IDs. Exports from this
          dashboard can be imported.
        </List.Item>
      </List>
      <ImportTemplate schemas={schemas} />
    </Section>
  );
}

function ImportTemplate({ schemas }: { schemas: readonly IdentitySchema[] }) {
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
      <SmallButton
        leftSection={<IconDownload size={14} />}
        onClick={() => saveFile(fileName(`identities-${chosen.id}`, 'csv'), templateOf(chosen))}
      >
        Save a template as CSV
      </SmallButton>
    </Group>
  );
}

/** Selects the schema for identities that name none. Hidden if there is only one schema. */
export function SchemaChoice({ session }: { session: ImportSession }) {
  const { schemas } = session.known;
  const { schemaId } = session.options();
  if (schemas.length < 2) return null;
  return (
    <NativeSelect
      label="Default schema"
      description="For identities that do not name one"
      maw="24rem"
      data={[
        ...(schemaId === undefined ? [{ value: '', label: 'Choose one', disabled: true }] : []),
        ...schemas.map(({ id }) => id),
      ]}
      value={schemaId ?? ''}
      onChange={({ currentTarget }) => {
        rememberSchema(currentTarget.value);
        void session.selectSchema(currentTarget.value);
      }}
    />
  );
}
