import { Alert, Button, Checkbox, Group, NativeSelect, Paper, Stack, Text, Title } from '@mantine/core';
import { useState } from 'react';
import type { SchemaList } from '../../../api/identity-schemas.ts';
import { deploymentName } from '../../../deployment.ts';
import { fileName, saveFile } from '../../../lib/files.ts';
import { counted, digits } from '../../../lib/format-count.ts';
import { RelativeTime } from '../../../ui/facts.tsx';
import { IconDownload, IconHistory } from '../../../ui/icons.tsx';
import { type AccountState, bare, type StateAnswers } from './account-state.ts';
import { looksSecret } from './file-password.ts';
import { SchemaChoice } from './import-choice.tsx';
import { PreviewTable, ProblemList, useExistingLines, WhoExists } from './import-preview.tsx';
import type { ImportProgress } from './import-progress.ts';
import { countOutcomes } from './import-run.ts';
import type { ImportSession } from './import-session.ts';
import { FIRST_SHOWN, type Inspection } from './inspect-identities.ts';

/** Asks what words for the state mean that no table knows: until then, nobody with such a word is sent. */
export function StateMeanings(props: {
  unknown: readonly string[];
  answers: StateAnswers;
  onAnswers: (answers: StateAnswers) => void;
}) {
  const [changed, setChanged] = useState(props.answers);
  // By mistake, a column of secrets may have become the state.
  const words = new Set([...props.answers.keys(), ...props.unknown.filter((word) => !looksSecret(word))]);
  if (words.size === 0) return null;
  return (
    <Stack gap="xs" role="group" aria-label="States of accounts">
      <Text size="sm">What do these states of the file mean? Whoever has one without a meaning is skipped.</Text>
      <Group gap="sm" align="flex-end">
        {[...words].map((word) => (
          <NativeSelect
            key={word}
            size="xs"
            label={`“${word}” means`}
            value={changed.get(bare(word)) ?? ''}
            data={[{ value: '', label: 'Skip them', disabled: changed.has(bare(word)) }, 'active', 'inactive']}
            onChange={({ currentTarget }) =>
              setChanged(new Map([...changed, [bare(word), currentTarget.value as AccountState]]))
            }
          />
        ))}
        <Button
          size="xs"
          variant="default"
          disabled={changed === props.answers}
          onClick={() => props.onAnswers(changed)}
        >
          Check again
        </Button>
      </Group>
    </Stack>
  );
}

/** The contents of a file and its problems, before anything is sent. */
export function ImportReview(props: {
  session: ImportSession;
  inspection: Inspection;
  earlier: ImportProgress | undefined;
  known: SchemaList;
  schemaId: string | undefined;
  states: StateAnswers;
  onStates: (states: StateAnswers) => void;
  onSchema: (id: string) => void;
}) {
  const { session, inspection, earlier } = props;
  const mapAgain = session.mapAgain();
  const { total, invalid, doubtful, notCheckedHere, withPassword, withHash, withOtherCredentials, leftOut } =
    inspection;
  const existing = useExistingLines(session, inspection);
  const [sendDoubtful, setSendDoubtful] = useState(false);
  const sent = total - invalid + (sendDoubtful ? doubtful : 0);
  const done = earlier === undefined ? 0 : countOutcomes(earlier.outcomes).all;
  return (
    <Stack gap="md">
      <Paper withBorder p="md">
        <Stack gap="xs">
          <Title order={2} size="h4" style={{ overflowWrap: 'anywhere' }}>
            {session.file()?.name}
          </Title>
          <Text size="sm" role="status">
            {counted(total, 'identity', 'identities')}, {digits(total - invalid)} without problems, to be created in{' '}
            {deploymentName}.{total > sent && ` ${digits(total - sent)} with problems will be skipped.`}
            {withPassword > 0 &&
              ` ${digits(withPassword)} with a password, which takes longer: the identity service hashes each.`}
            {withHash > 0 && ` ${digits(withHash)} with a password hash.`}
            {withOtherCredentials > 0 && ` ${digits(withOtherCredentials)} with other credentials.`}
            {notCheckedHere > 0 &&
              ` The traits of ${digits(notCheckedHere)} were not checked here: this browser cannot evaluate their schema, or not in time. The identity service checks them.`}
            {leftOut.length > 0 &&
              ` The identity service sets ${leftOut.join(', ')} itself; the values in the file are ignored.`}
          </Text>
          <WhoExists lines={existing} />
          <SchemaChoice known={props.known} schemaId={props.schemaId} onSchema={props.onSchema} />
          <StateMeanings unknown={inspection.unknownStates} answers={props.states} onAnswers={props.onStates} />
          {doubtful > 0 && (
            <Checkbox
              checked={sendDoubtful}
              onChange={(event) => setSendDoubtful(event.currentTarget.checked)}
              label={`Also send ${counted(doubtful, 'identity', 'identities')} that only the check in this browser rejects`}
              description="The check is stricter than the identity service in places. The service decides on each identity."
            />
          )}
        </Stack>
      </Paper>
      {earlier !== undefined && (
        <Alert variant="default" icon={<IconHistory size={24} />} title="This file was partly imported">
          {digits(done)} of its identities were processed <RelativeTime at={new Date(earlier.savedAt).toISOString()} />.
          Any that were created without a response are reported as already existing.
        </Alert>
      )}
      <Group gap="xs">
        {earlier !== undefined && (
          <Button onClick={() => void session.start('earlier', sendDoubtful)}>
            Continue with identity {digits(done + 1)}
          </Button>
        )}
        <Button
          variant={earlier === undefined ? 'filled' : 'default'}
          disabled={sent === 0}
          onClick={() => void session.start('beginning', sendDoubtful)}
        >
          {earlier === undefined ? `Import ${counted(sent, 'identity', 'identities')}` : 'Start from the beginning'}
        </Button>
        {mapAgain !== undefined && (
          <Button variant="default" onClick={mapAgain}>
            Change column meanings
          </Button>
        )}
        <Button variant="default" onClick={session.reset}>
          Choose another file
        </Button>
      </Group>
      {invalid > 0 && (
        <ProblemList
          inspection={inspection}
          action={
            <Button
              size="xs"
              variant="default"
              leftSection={<IconDownload size={14} />}
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
          {total > FIRST_SHOWN ? `The first ${FIRST_SHOWN}` : 'All identities'}
        </Title>
        <PreviewTable identities={inspection.first} existing={existing} />
      </div>
    </Stack>
  );
}
