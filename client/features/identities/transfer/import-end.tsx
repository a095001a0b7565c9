import { Button, Group, Paper, Stack, Title } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { fileName, saveFile } from '../../../lib/files.ts';
import { digits } from '../../../lib/format-count.ts';
import { FactList } from '../../../ui/facts.tsx';
import { FailurePanel } from '../../../ui/failure-panel.tsx';
import { OutcomeTable } from '../../../ui/outcome-table.tsx';
import { IconDownload } from '../../../ui/shell-icons.tsx';
import { OUTCOME_WORDS } from './import-reports.ts';
import { countOutcomes } from './import-run.ts';
import type { ImportSession, ImportStep } from './import-session.ts';

const TITLES = {
  complete: 'The import is complete',
  cancelled: 'The import was cancelled',
  stopped: 'The import has stopped',
} as const;
const STATUS = { created: 'good', existing: 'off', failed: 'bad', invalid: 'warning' } as const;

/** How the import ended and the outcome for each identity. */
export function ImportEnd({ session, end }: { session: ImportSession; end: ImportStep & { step: 'end' } }) {
  const { how, total, outcomes, failure } = end;
  const { created, existing, failed, invalid, all } = countOutcomes(outcomes);
  const notCreated = session.notCreated();
  return (
    <Stack gap="md">
      {failure !== undefined && <FailurePanel title="The import has stopped" error={failure} />}
      <Paper withBorder p="md">
        <Stack gap="md">
          <Title order={2} size="h4">
            {TITLES[how]}
          </Title>
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
              <Button onClick={() => void session.goOn()}>Continue with identity {digits(all + 1)}</Button>
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
            <Button variant="default" renderRoot={(props) => <Link {...props} to="/identities" preload={false} />}>
              View identities
            </Button>
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
