import '@mantine/core/styles/Input.layer.css';
import { Alert, Button, Group, NativeSelect, Paper, Stack, Text, Title } from '@mantine/core';
import { IconDownload, IconHistory } from '@tabler/icons-react';
import type { IdentitySchema } from '../../../api/identity-schemas.ts';
import { deploymentName } from '../../../deployment.ts';
import { counted, digits } from '../../../ui/counted.ts';
import { RelativeTime } from '../../../ui/relative-time.tsx';
import { fileName, saveFile } from '../../../ui/save-file.ts';
import { countOutcomes } from './import-outcomes.ts';
import type { ImportProgress } from './import-progress.ts';
import type { ImportSession } from './import-session.ts';
import { FIRST_SHOWN, type Inspection } from './inspect-identities.ts';
import { PreviewTable } from './preview-table.tsx';
import { ProblemList } from './problem-list.tsx';

/** What is in the file and what is wrong with it, before anything is sent. */
export function ImportReview(props: {
  session: ImportSession;
  inspection: Inspection;
  earlier: ImportProgress | undefined;
  schemas: readonly IdentitySchema[];
  schemaId: string;
  onSchema: (id: string) => void;
}) {
  const { session, inspection, earlier } = props;
  const { total, invalid, withCredentials, leftOut } = inspection;
  const valid = total - invalid;
  const done = earlier === undefined ? 0 : countOutcomes(earlier.outcomes).all;
  return (
    <Stack gap="md">
      <Paper withBorder p="md">
        <Stack gap="xs">
          <Title order={2} size="h4" style={{ overflowWrap: 'anywhere' }}>
            {session.file()?.name}
          </Title>
          <Text size="sm" role="status">
            {counted(total, 'identity', 'identities')}, {digits(valid)} of them without problems, to be created in{' '}
            {deploymentName}.{invalid > 0 && ` ${digits(invalid)} with problems will be left out.`}
            {withCredentials > 0 && ` ${digits(withCredentials)} with credentials.`}
            {leftOut.length > 0 && ` The identity service makes ${leftOut.join(', ')} itself: not taken from the file.`}
          </Text>
          {props.schemas.length > 1 && (
            <NativeSelect
              label="Schema of identities that name none"
              maw="24rem"
              data={props.schemas.map(({ id }) => id)}
              value={props.schemaId}
              onChange={(event) => props.onSchema(event.currentTarget.value)}
            />
          )}
        </Stack>
      </Paper>
      {earlier !== undefined && (
        <Alert variant="default" icon={<IconHistory aria-hidden />} title="This file was imported in part">
          {digits(done)} of its identities are done, <RelativeTime at={new Date(earlier.savedAt).toISOString()} />.
          Those that were created without an answer are reported as already there.
        </Alert>
      )}
      <Group gap="xs">
        {earlier !== undefined && (
          <Button onClick={() => void session.start('earlier')}>Go on with identity {digits(done + 1)}</Button>
        )}
        <Button
          variant={earlier === undefined ? 'filled' : 'default'}
          disabled={valid === 0}
          onClick={() => void session.start('beginning')}
        >
          {earlier === undefined ? `Import ${counted(valid, 'identity', 'identities')}` : 'Start from the first one'}
        </Button>
        <Button variant="default" onClick={session.reset}>
          Another file
        </Button>
      </Group>
      {invalid > 0 && (
        <ProblemList
          inspection={inspection}
          action={
            <Button
              size="xs"
              variant="default"
              leftSection={<IconDownload size={14} aria-hidden />}
              onClick={() =>
                void session.problems().then((report) => saveFile(fileName('import-problems', 'csv'), report))
              }
            >
              Save all problems as CSV
            </Button>
          }
        />
      )}
      <div>
        <Title order={2} size="h5" mb="xs">
          {total > FIRST_SHOWN ? `The first ${FIRST_SHOWN}` : 'All of them'}
        </Title>
        <PreviewTable identities={inspection.first} />
      </div>
    </Stack>
  );
}
