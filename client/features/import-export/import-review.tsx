import { Alert, Button, Checkbox, Group, NativeSelect, Paper, Stack, Text, Title } from '@mantine/core';
import { useState } from 'react';
import { deploymentName } from '../../deployment.ts';
import { fileName, saveFile } from '../../lib/files.ts';
import { counted, digits } from '../../lib/format-count.ts';
import { LinkButton, SmallButton } from '../../ui/buttons.tsx';
import { FactList, RelativeTime } from '../../ui/facts.tsx';
import { FailurePanel } from '../../ui/failure-panel.tsx';
import { OutcomeTable } from '../../ui/outcome-table.tsx';
import { IconDownload, IconHistory } from '../../ui/shell-icons.tsx';
import { type AccountState, normalizeName, type StateMeanings } from './account-state.ts';
import { looksSecret } from './file-password.ts';
import { SchemaChoice } from './import-choice.tsx';
import { formatExisting, PreviewTable, ProblemList, useExistingLines } from './import-preview.tsx';
import { OUTCOME_WORDS } from './import-reports.ts';
import type { ImportProgress } from './import-run.ts';
import { countOutcomes } from './import-run.ts';
import type { ImportSession, ImportStep } from './import-session.ts';
import { FIRST_SHOWN, type Inspection } from './inspect-identities.ts';

export function ImportReview(props: {
  session: ImportSession;
  inspection: Inspection;
  earlier: ImportProgress | undefined;
}) {
  const { session, inspection, earlier } = props;
  const mapAgain = session.mapAgain();
  const { total, invalid, overridable, notCheckedHere, withPassword, withHash, withOtherCredentials, leftOut } =
    inspection;
  const { leaveOutHashes } = session.options();
  const existing = useExistingLines(session);
  const [override, setOverride] = useState(false);
  const sent = total - invalid + (override ? overridable : 0);
  const done = earlier === undefined ? 0 : countOutcomes(earlier.outcomes).all;
  return (
    <Stack gap="md">
      <Paper withBorder p="md">
        <Stack gap="xs">
          <Title order={2}>{session.file()?.name}</Title>
          <Text size="sm" role="status">
            {counted(total, 'identity', 'identities')}, {digits(total - invalid)} without problems, to be created in{' '}
            {deploymentName}.{total > sent && ` ${digits(total - sent)} with problems will be skipped.`}
            {withPassword > 0 &&
              ` ${digits(withPassword)} with a password, which takes longer: the identity service hashes each.`}
            {withHash > 0 && ` ${digits(withHash)} with a password hash.`}
            {inspection.inactive > 0 && ` ${digits(inspection.inactive)} inactive.`}
            {withOtherCredentials > 0 && ` ${digits(withOtherCredentials)} with other credentials.`}
            {notCheckedHere > 0 &&
              ` This browser could not check the traits of ${digits(notCheckedHere)} against their schema, or not in time. The identity service checks them.`}
            {leftOut.length > 0 &&
              ` The identity service sets ${leftOut.join(', ')} itself; the values in the file are ignored.`}
            {session.note() !== undefined && ` ${session.note()}`}
          </Text>
          <Text size="sm" role="status">
            {formatExisting(existing)}
          </Text>
          <SchemaChoice session={session} />
          {leaveOutHashes !== undefined && (
            <NativeSelect
              label="These passwords look like hashes"
              description="Whoever has a hash can sign in with it if it is imported as a password."
              maw="24rem"
              data={['Hashes, leave them out', 'Passwords as they are']}
              value={leaveOutHashes ? 'Hashes, leave them out' : 'Passwords as they are'}
              onChange={() => void session.change({ leaveOutHashes: !leaveOutHashes })}
            />
          )}
          <UnknownStates session={session} unknown={inspection.unknownStates} />
          {overridable > 0 && (
            <Checkbox
              checked={override}
              onChange={(event) => setOverride(event.currentTarget.checked)}
              label={`Also send ${counted(overridable, 'identity', 'identities')} that only this browser rejects`}
              description="This browser’s check is stricter in some respects than that of the identity service, which decides."
            />
          )}
        </Stack>
      </Paper>
      {earlier !== undefined && (
        <Alert variant="default" icon={<IconHistory size={24} />} title="This file was partly imported">
          {digits(done)} of its identities were processed <RelativeTime at={new Date(earlier.savedAt).toISOString()} />.
          An identity whose creation was not confirmed is reported as already existing.
        </Alert>
      )}
      <Group gap="xs">
        {earlier !== undefined && (
          <Button onClick={() => void session.start('earlier', override)}>
            Continue with identity {digits(done + 1)}
          </Button>
        )}
        <Button
          variant={earlier === undefined ? 'filled' : 'default'}
          disabled={sent === 0}
          onClick={() => void session.start('beginning', override)}
        >
          {earlier === undefined ? `Import ${counted(sent, 'identity', 'identities')}` : 'Start from the beginning'}
        </Button>
        {mapAgain !== undefined && (
          <Button variant="default" onClick={mapAgain}>
            Change the column mapping
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
            <SmallButton
              leftSection={<IconDownload size={14} />}
              onClick={() =>
                void session.problems().then((report) => saveFile(fileName('import-problems', 'csv'), report))
              }
            >
              Save all problems as CSV
            </SmallButton>
          }
        />
      )}
      <div>
        <Title order={2} mb="xs">
          {total > FIRST_SHOWN ? `The first ${FIRST_SHOWN}` : 'All identities'}
        </Title>
        <PreviewTable identities={inspection.first} existing={existing} />
      </div>
    </Stack>
  );
}

/** Lets the operator choose the meaning of unknown state words. Identities with such a word are not sent until then. */
function UnknownStates({ session, unknown }: { session: ImportSession; unknown: readonly string[] }) {
  const { states = NO_STATES } = session.options();
  const [meanings, setMeanings] = useState(states);
  // A column of secrets may have been mapped to the state by mistake.
  const words = new Set([...states.keys(), ...unknown.filter((word) => !looksSecret(word))]);
  if (words.size === 0) return null;
  return (
    <Stack gap="xs" role="group" aria-label="Unknown states">
      <Text size="sm">Choose what these states mean. Identities whose state has no meaning are skipped.</Text>
      <Group gap="sm" align="flex-end">
        {[...words].map((word) => {
          const name = normalizeName(word);
          return (
            <NativeSelect
              key={word}
              size="xs"
              label={`“${word}” means`}
              value={meanings.get(name) ?? ''}
              data={[{ value: '', label: 'Skip them', disabled: meanings.has(name) }, 'active', 'inactive']}
              onChange={({ currentTarget }) =>
                setMeanings(new Map([...meanings, [name, currentTarget.value as AccountState]]))
              }
            />
          );
        })}
        <SmallButton disabled={meanings === states} onClick={() => void session.change({ states: meanings })}>
          Check again
        </SmallButton>
      </Group>
    </Stack>
  );
}

const NO_STATES: StateMeanings = new Map();

const TITLES = {
  complete: 'The import is complete',
  cancelled: 'The import was cancelled',
  stopped: 'The import has stopped',
} as const;
const STATUS = { created: 'good', existing: 'off', failed: 'bad', invalid: 'warning' } as const;

export function ImportEnd({ session, end }: { session: ImportSession; end: ImportStep & { step: 'end' } }) {
  const { how, total, outcomes, failure } = end;
  const { created, existing, failed, invalid, all } = countOutcomes(outcomes);
  const notCreated = session.notCreated();
  return (
    <Stack gap="md">
      {failure !== undefined && <FailurePanel title="The import has stopped" error={failure} />}
      <Paper withBorder p="md">
        <Stack gap="md">
          <Title order={2}>{TITLES[how]}</Title>
          <FactList
            facts={[
              ['Created', digits(created)],
              ['Already existing', digits(existing)],
              ['Failed', digits(failed)],
              ['Skipped because of problems', digits(invalid)],
              ...(how === 'complete' ? [] : [['Not sent', digits(total - all)] as const]),
            ]}
          />
          <Group gap="xs">
            {how !== 'complete' && (
              <Button onClick={() => void session.resume()}>Continue with identity {digits(all + 1)}</Button>
            )}
            <Button
              variant="default"
              leftSection={<IconDownload />}
              onClick={() => void session.report().then((report) => saveFile(fileName('import-report', 'csv'), report))}
            >
              Save the report
            </Button>
            <Button variant="default" onClick={session.reset}>
              Choose another file
            </Button>
            <LinkButton variant="default" to="/identities">
              View identities
            </LinkButton>
          </Group>
        </Stack>
      </Paper>
      {notCreated.count() > 0 && (
        <OutcomeTable
          label="Not created"
          subject="Line"
          total={notCreated.count()}
          rows={notCreated.rows().map(({ line, who, outcome, reason }) => ({
            key: line,
            subject: (
              <>
                {line} <bdi>{who}</bdi>
              </>
            ),
            status: STATUS[outcome],
            outcome: OUTCOME_WORDS[outcome],
            reason,
          }))}
        />
      )}
    </Stack>
  );
}
