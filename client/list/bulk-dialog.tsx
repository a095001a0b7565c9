import { Button, Group, Skeleton, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useId, useState } from 'react';
import { useOperator } from '../api/session.ts';
import { fileName, saveFile } from '../lib/files.ts';
import { counted, digits } from '../lib/format-count.ts';
import { type Failure, FailurePanel } from '../ui/failure-panel.tsx';
import { FocusOnChange } from '../ui/hooks.tsx';
import { Modal } from '../ui/modal.tsx';
import { OutcomeTable } from '../ui/outcome-table.tsx';
import { RunProgress } from '../ui/run-progress.tsx';
import { IconDownload } from '../ui/shell-icons.tsx';
import { BulkConfirmation } from './bulk-confirmation.tsx';
import {
  type BulkAct,
  type BulkFound,
  type BulkMatching,
  type BulkResult,
  type BulkSubject,
  bulkReport,
  checkBefore,
  formatOutcome,
  undone,
  useBulkRun,
} from './bulk-run.ts';
import { useSaveFirst } from './save-first.tsx';

/**
 * Confirmation, progress and results in one dialog. While running it can only be cancelled.
 * @param items the chosen rows; undefined for all that match, which are found when it opens
 */
export function BulkDialog<T extends { id: string }>(props: {
  act: BulkAct<T>;
  subject: BulkSubject<T>;
  items: readonly T[] | undefined;
  matching: BulkMatching<T> | undefined;
  onClose: (failedIds: string[] | undefined) => void;
}) {
  const { act, subject, matching } = props;
  const chosen = props.items !== undefined;
  const found = useFound(chosen ? undefined : matching);
  const operator = useOperator();
  const all = props.items ?? found.data?.items ?? [];
  const items = act.spares === undefined ? all : all.filter((item) => !act.spares?.holds(item, operator));
  const spared = items.length < all.length ? act.spares?.words : undefined;
  const checked = !chosen || matching?.checksChosen ? matching : undefined;
  const { state, run, cancel, leave } = useBulkRun(act, subject, items, checkBefore(act, subject, checked?.check));
  const saving = useSaveFirst(
    act.saveFirst,
    items.map(({ id }) => id),
  );
  const [saves, setSaves] = useState(false);
  const step = items.length === 0 ? 'find' : saving.read === undefined ? state.phase : 'saving';
  const busy = step === 'running' || step === 'saving';
  const close = () => props.onClose(leave());
  const many =
    items.length === 0
      ? chosen
        ? subject.name.many
        : 'all that match'
      : counted(items.length, subject.name.one, subject.name.many);
  return (
    <Modal
      opened
      size={step === 'ended' ? 'xl' : 'lg'}
      onClose={() => !busy && close()}
      title={`${act.title} ${many}${state.phase === 'confirm' ? '?' : ''}`}
      closeButtonProps={{ 'aria-label': 'Close', disabled: busy }}
    >
      <FocusOnChange of={step}>
        {step === 'find' && <BulkFinding subject={subject} found={found} spared={spared} onClose={close} />}
        {step === 'confirm' && (
          <BulkConfirmation
            act={act}
            subject={subject}
            items={items}
            matching={chosen ? undefined : matching?.words}
            promise={checked?.promise}
            missing={found.data?.missing}
            spared={spared}
            saving={{ chosen: saves, choose: setSaves, failure: saving.failure }}
            onConfirm={() => (saves ? saving.start(run) : run())}
            onCancel={close}
          />
        )}
        {step === 'saving' && (
          <RunProgress label="Saving" done={saving.read ?? 0} total={items.length} onCancel={saving.cancel} />
        )}
        {state.phase === 'running' && (
          <RunProgress
            label={act.running}
            done={state.ended}
            total={state.total}
            onCancel={state.cancelled ? undefined : cancel}
          />
        )}
        {state.phase === 'ended' && (
          <BulkResults
            act={act}
            subject={subject}
            results={state.results}
            chosen={chosen}
            onRetry={run}
            onClose={close}
          />
        )}
      </FocusOnChange>
    </Modal>
  );
}

interface Found<T> {
  data: BulkFound<T> | undefined;
  error: Failure | null;
  refetch: () => unknown;
}

/** All that match, asked once for each dialog: what is confirmed must not change under the operator's hands. */
export const useFound = <T,>(matching: BulkMatching<T> | undefined): Found<T> =>
  useQuery({
    queryKey: ['all that match', useId()],
    queryFn: ({ signal }) => (matching as BulkMatching<T>).find(signal),
    enabled: matching !== undefined,
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
    retry: false,
  });

/** What a dialog shows until it knows all that match, or if that is nobody. */
export function BulkFinding<T>(props: {
  subject: BulkSubject<T>;
  found: Found<T>;
  spared: string | undefined;
  onClose: () => void;
}) {
  const { spared } = props;
  const { error, data, refetch } = props.found;
  return (
    <Stack gap="md">
      {error !== null && <FailurePanel title="Nothing was done" error={error} onRetry={() => void refetch()} />}
      {spared !== undefined && <Text role="status">{spared}</Text>}
      {data !== undefined && spared === undefined && (
        <Text role="status">No {props.subject.name.many} match any more.</Text>
      )}
      {data === undefined && error === null && spared === undefined && (
        <div role="status" aria-label={`Finding the ${props.subject.name.many} that match`}>
          <Skeleton h={120} />
        </div>
      )}
      <Group justify="flex-end">
        <Button variant="default" data-autofocus onClick={props.onClose}>
          Close
        </Button>
      </Group>
    </Stack>
  );
}

const STATUS = { done: 'good', unchanged: 'off', 'left-out': 'off', failed: 'bad', 'not-started': 'warning' } as const;
const ORDER = ['failed', 'not-started', 'left-out', 'unchanged', 'done'] as const;

/** The result for each item, failures first, with a retry for those not done. */
export function BulkResults<T extends { id: string }>(props: {
  act: BulkAct<T>;
  subject: BulkSubject<T>;
  results: readonly BulkResult<T>[];
  /** Whether they were rows of the list, which stay selected. */
  chosen: boolean;
  onRetry: () => void;
  onClose: () => void;
}) {
  const { act, subject, results } = props;
  const sorted = ORDER.flatMap((outcome) => results.filter((result) => result.outcome === outcome));
  const left = undone(results).length;
  return (
    <Stack gap="md">
      <Text role="status" tabIndex={-1} data-autofocus>
        {summaryOf(results, act)}
        {left > 0 && props.chosen && ' Items not done stay selected.'}
      </Text>
      <OutcomeTable
        label="Results"
        subject={subject.name.title}
        rows={sorted.map((result) => ({
          key: result.item.id,
          subject: subject.nameOf(result.item),
          status: STATUS[result.outcome],
          outcome: formatOutcome(result, act),
          reason: result.reason,
        }))}
      />
      <Group justify="flex-end" gap="xs">
        <Button
          variant="default"
          leftSection={<IconDownload />}
          onClick={() =>
            saveFile(
              fileName(`${subject.name.many.replaceAll(' ', '-')}-${act.done.replaceAll(' ', '-')}`, 'csv'),
              bulkReport(results, act, subject),
            )
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

function summaryOf<T>(results: readonly BulkResult<T>[], act: BulkAct<T>): string {
  const parts = ORDER.toReversed().map((outcome) => {
    const some = results.filter((result) => result.outcome === outcome);
    const [first] = some;
    if (first === undefined) return undefined;
    if (outcome === 'left-out') return counted(some.length, 'no longer matches', 'no longer match');
    return `${digits(some.length)} ${formatOutcome(first, act)}`;
  });
  return `${parts.filter((part) => part !== undefined).join(', ')}.`;
}
