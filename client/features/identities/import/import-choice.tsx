import { Alert, Code, List, Paper, Stack, Text, Title } from '@mantine/core';
import type { IdentitySchema } from '../../../api/identity-schemas.ts';
import { digits } from '../../../format/counted.ts';
import { IconHistory } from '../../../resource/icons.ts';
import { FileDrop } from '../../../ui/form/file-drop.tsx';
import { RelativeTime } from '../../../ui/relative-time.tsx';
import { traitColumns } from '../transfer/trait-columns.ts';
import classes from '../transfer/transfer.module.css';
import { countOutcomes } from './import-outcomes.ts';
import type { ImportProgress } from './import-progress.ts';
import { ImportTemplate } from './import-template.tsx';

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
