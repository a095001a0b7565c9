import { Button, Group, Stack, Text } from '@mantine/core';
import { IconDownload } from '@tabler/icons-react';
import { digits } from '../../../ui/counted.ts';
import { OutcomeTable } from '../../../ui/outcome-table.tsx';
import { fileName, saveFile } from '../../../ui/save-file.ts';
import type { BulkAct } from './bulk-acts.ts';
import { bulkReport, type IdentityResult, outcomeInWords, shownAs, undone } from './bulk-report.ts';

const STATUS = { done: 'good', unchanged: 'off', failed: 'bad', 'not-started': 'warning' } as const;
const ORDER = ['failed', 'not-started', 'unchanged', 'done'] as const;

/** What became of each, the failed ones first, and another try for those alone. */
export function BulkResults(props: {
  act: BulkAct;
  results: readonly IdentityResult[];
  onRetry: () => void;
  onClose: () => void;
}) {
  const { act, results } = props;
  const sorted = ORDER.flatMap((outcome) => results.filter((result) => result.outcome === outcome));
  const left = undone(results).length;
  return (
    <Stack gap="md">
      <Text role="status" tabIndex={-1} data-autofocus>
        {summaryOf(results, act)}
        {left > 0 && ' Those that are not done stay selected.'}
      </Text>
      <OutcomeTable
        label="What became of each"
        subject="Identity"
        rows={sorted.map((result) => ({
          key: result.item.id,
          subject: shownAs(result.item),
          status: STATUS[result.outcome],
          outcome: outcomeInWords(result, act),
          reason: result.reason,
        }))}
      />
      <Group justify="flex-end" gap="xs">
        <Button
          variant="default"
          leftSection={<IconDownload size={16} aria-hidden />}
          onClick={() =>
            saveFile(fileName(`identities-${act.done.replaceAll(' ', '-')}`, 'csv'), bulkReport(results, act))
          }
        >
          Save as CSV
        </Button>
        <Button variant="default" onClick={props.onClose}>
          Close
        </Button>
        {left > 0 && <Button onClick={props.onRetry}>Retry the {digits(left)} not done</Button>}
      </Group>
    </Stack>
  );
}

function summaryOf(results: readonly IdentityResult[], act: BulkAct): string {
  const parts = ORDER.toReversed().map((outcome) => {
    const some = results.filter((result) => result.outcome === outcome);
    const [first] = some;
    return first === undefined ? undefined : `${digits(some.length)} ${outcomeInWords(first, act)}`;
  });
  return `${parts.filter((part) => part !== undefined).join(', ')}.`;
}
