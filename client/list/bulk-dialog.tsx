import { Code, Skeleton, Stack, Text, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useEffect, useId, useRef, useState } from 'react';
import { useOperator } from '../api/session.ts';
import { counted } from '../lib/format-count.ts';
import { capitalised, visibleText } from '../lib/visible-text.ts';
import { Details } from '../ui/confirm-dialog.tsx';
import { type Failure, FailurePanel } from '../ui/failure-panel.tsx';
import { FocusOnChange } from '../ui/hooks.tsx';
import { DeploymentBadge, Dimmed } from '../ui/layout.tsx';
import { DialogFooter, DialogForm, Modal } from '../ui/modal.tsx';
import { useReason } from '../ui/reason-field.tsx';
import { RunProgress } from '../ui/run-progress.tsx';
import { SaveFirstField } from '../ui/save-first-field.tsx';
import { toast } from '../ui/toasts.tsx';
import { BulkResults } from './bulk-results.tsx';
import { type BulkAct, type BulkMatching, type BulkSubject, useBulkRun } from './bulk-run.ts';
import { useSaveFirst } from './export.tsx';

/** After a longer run the results stay, since the operator may have looked away. */
const TOAST_MAX = 25;

/**
 * Confirmation, progress and results in one dialog. A run can be cancelled, but the dialog cannot be closed until it
 * ends. After a short run that changed every item, the dialog closes by itself.
 * @param items the selected rows; undefined for all matches, which load when the dialog opens
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
  // Never refetched: the list must not change between confirmation and run.
  const found = useQuery({
    queryKey: ['all matching rows', useId()],
    queryFn: ({ signal }) => (matching as BulkMatching<T>).find(signal),
    enabled: !chosen && matching !== undefined,
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
    retry: false,
  });
  const operator = useOperator();
  const all = props.items ?? found.data?.items ?? [];
  const items = act.spares === undefined ? all : all.filter((item) => !act.spares?.holds(item, operator));
  const spared = items.length < all.length ? act.spares?.words : undefined;
  const checked = !chosen || matching?.checksChosen ? matching : undefined;
  const { reason, missing, field } = useReason(!act.withoutReason);
  const { state, run, cancel, leave } = useBulkRun(act, subject, items, checked?.check, reason);
  const saving = useSaveFirst(act.saveFirst, items);
  const [saves, setSaves] = useState(false);
  const step = items.length === 0 ? 'find' : saving.read === undefined ? state.phase : 'saving';
  const busy = step === 'running' || step === 'saving';
  const close = () => props.onClose(leave());
  const { one, many } = subject.name;
  const what = items.length > 0 ? counted(items.length, one, many) : chosen ? many : `all matching ${many}`;
  const isDone =
    state.phase === 'ended' &&
    state.results.length <= TOAST_MAX &&
    state.results.every(({ outcome }) => outcome === 'done');
  const closeDone = useRef(close);
  closeDone.current = () => {
    toast(`${act.past ?? capitalised(act.done)} ${what}`);
    close();
  };
  useEffect(() => {
    if (isDone) closeDone.current();
  }, [isDone]);
  if (isDone) return null;
  return (
    <Modal
      opened
      size={step === 'ended' ? 'lg' : 'md'}
      busy={busy}
      onClose={close}
      title={`${act.title} ${what}${state.phase === 'confirm' ? '?' : ''}`}
    >
      <FocusOnChange of={step}>
        {step === 'find' && (
          <Stack gap="md">
            {found.error !== null ? (
              <FailurePanel title="Nothing was changed" error={found.error} onRetry={() => void found.refetch()} />
            ) : spared !== undefined || found.data !== undefined ? (
              <Text role="status">{spared ?? `No ${many} match any more.`}</Text>
            ) : (
              <div role="status" aria-label={`Finding the matching ${many}`}>
                <Skeleton h={120} />
              </div>
            )}
            <DialogFooter onCancel={close} cancel="Close" />
          </Stack>
        )}
        {step === 'confirm' && (
          <BulkConfirmation
            act={act}
            subject={subject}
            items={items}
            what={what}
            matching={chosen ? undefined : matching?.words}
            promise={checked?.promise}
            warnings={[act.warning?.(items, operator), spared, found.data?.missing]}
            reason={{ missing, field }}
            saving={{ chosen: saves, choose: setSaves, failure: saving.failure }}
            onConfirm={() => (saves ? saving.start(run) : run())}
            onCancel={close}
          />
        )}
        {step === 'saving' && (
          <RunProgress label="Saving" done={saving.read ?? 0} total={items.length} onCancel={saving.cancel} />
        )}
        {state.phase === 'running' && (
          <RunProgress label={act.running} done={state.ended} total={state.total} onCancel={cancel} />
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

const NAMED = 5;

/**
 * Names the first items and the consequences; irreversible actions require the count to be typed.
 * @param matching the search in words; undefined for selected rows
 * @param promise a sentence about the check before each item
 */
function BulkConfirmation<T extends { id: string }>(props: {
  act: BulkAct<T>;
  subject: BulkSubject<T>;
  items: readonly T[];
  /** “3 identities” */
  what: string;
  matching: string | undefined;
  promise: string | undefined;
  warnings: readonly (string | undefined)[];
  /** Whether to save the items first, if the action offers this. */
  saving: { chosen: boolean; choose: (chosen: boolean) => void; failure: Failure | undefined };
  reason: Pick<ReturnType<typeof useReason>, 'missing' | 'field'>;
  onConfirm: () => void;
  onCancel: () => void;
}) {
  const { act, items, subject } = props;
  const { labelOf = subject.nameOf } = subject;
  const [text, setText] = useState('');
  const count = String(items.length);
  const warnings = props.warnings.filter((warning) => warning !== undefined);
  const others = items.length - NAMED;
  return (
    <DialogForm
      start={<DeploymentBadge />}
      onCancel={props.onCancel}
      submit={act.button ?? `${act.title} ${props.what}`}
      color={act.grave ? 'red.9' : undefined}
      disabled={props.reason.missing || (act.final && text.trim() !== count)}
      onSubmit={props.onConfirm}
    >
      {props.matching !== undefined && (
        <Text size="sm">
          All matching rows: <strong>{props.matching}</strong>
        </Text>
      )}
      <div>
        {items.slice(0, NAMED).map((item) => (
          <Text key={item.id} size="sm" fw={500}>
            <bdi>{visibleText(labelOf(item))}</bdi>
          </Text>
        ))}
        {others > 0 && <Dimmed>and {counted(others, 'other', 'others')}</Dimmed>}
      </div>
      {warnings.map((warning) => (
        <Text key={warning} size="sm" fw={600}>
          {warning}
        </Text>
      ))}
      <Text size="sm">{act.consequence}</Text>
      <Details sentences={[props.promise ?? [], act.details].flat()} />
      {act.saveFirst !== undefined && (
        <SaveFirstField about={act.saveFirst.about} chosen={props.saving.chosen} onChange={props.saving.choose} />
      )}
      {props.saving.failure !== undefined && <FailurePanel title="Nothing was deleted" error={props.saving.failure} />}
      {act.final && (
        <TextInput
          data-autofocus
          label={
            <Text span size="sm">
              Type the number <Code>{count}</Code> to confirm
            </Text>
          }
          inputMode="numeric"
          value={text}
          onChange={(event) => setText(event.currentTarget.value)}
        />
      )}
      {props.reason.field}
    </DialogForm>
  );
}
