import { Button, Group, Paper, Stack, Text, Title } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useId, useState } from 'react';
import type { SettingChange, SettingVersion } from '../../../shared/settings.ts';
import { RequestError, reworded } from '../../api/request.ts';
import { useOperator } from '../../api/session.ts';
import {
  forgetVersions,
  restoreVersion,
  SETTINGS_KEY,
  type SettingPast,
  settingPastQuery,
} from '../../api/settings.ts';
import { SubjectHistory, useNameOf } from '../../audit/record-list.tsx';
import { type NameOf, recordSentence } from '../../audit/record-sentence.ts';
import { counted } from '../../lib/format-count.ts';
import { offerSettingUndo, settingChange } from '../../record/undo.ts';
import { exactTime, RelativeTime } from '../../ui/facts.tsx';
import { type Failure, FailurePanel } from '../../ui/failure-panel.tsx';
import { FocusOnChange, useSingleFlight } from '../../ui/hooks.tsx';
import { IconHistory } from '../../ui/icons.tsx';
import { LoadingRows } from '../../ui/loading.tsx';
import { toast } from '../../ui/toasts.tsx';
import classes from './settings.module.css';
import { VersionComparison } from './version-comparison.tsx';

/**
 * What the setting was, and who changed or revealed it and when, loaded on demand; also for a deleted setting.
 * @param deleted opens it, since there is nothing else to see
 */
export function SettingHistory(props: { settingKey: string; deleted: boolean; onRestored: () => void }) {
  const { settingKey, onRestored } = props;
  const [chosen, setOpen] = useState<boolean>();
  const open = chosen ?? props.deleted;
  return (
    <Stack gap="sm" mt="lg">
      <div>
        <Button
          size="compact-sm"
          variant="subtle"
          ml={-8}
          leftSection={<IconHistory size={14} />}
          aria-expanded={open}
          onClick={() => setOpen(!open)}
        >
          History
        </Button>
      </div>
      {open && (
        <>
          <Title order={3} size="h5">
            Earlier versions
          </Title>
          <EarlierVersions settingKey={settingKey} onRestored={onRestored} />
          <Title order={3} size="h5" mt="sm">
            Who did what
          </Title>
          <SubjectHistory
            subject={`setting:${settingKey}`}
            nothing="There are no records of this setting since the audit trail began."
          />
        </>
      )}
    </Stack>
  );
}

/** What a setting was before its changes, the latest first, to be compared and restored; also of a deleted setting. */
export function EarlierVersions({ settingKey, onRestored }: { settingKey: string; onRestored: () => void }) {
  const { data, error, isFetching, refetch } = useQuery(settingPastQuery(settingKey));
  const [open, setOpen] = useState<number>();
  const nameOf = useNameOf(
    (data?.versions ?? []).map(({ action, actor }) => ({ action, actor, target: null, subject: null })),
  );
  if (data === undefined) {
    return error === null ? (
      <LoadingRows label="Loading the earlier versions" rows={2} height={56} />
    ) : (
      <FailurePanel error={error} onRetry={() => void refetch()} />
    );
  }
  const { now, versions } = data;
  if (versions.length === 0) {
    return (
      <Text size="sm" c="dimmed">
        No earlier version is kept. Versions are kept for a year; those in plain text go when a setting is encrypted.
      </Text>
    );
  }
  return (
    <Stack gap="sm">
      <Text size="sm" c="dimmed" role="status">
        {counted(versions.length, 'earlier version', 'earlier versions')}
      </Text>
      <Paper withBorder>
        <ol className={classes.list} aria-label="Earlier versions, the latest first" aria-busy={isFetching}>
          {versions.map((version, index) => (
            <VersionRow
              key={version.version}
              settingKey={settingKey}
              now={now}
              version={version}
              before={versions[index + 1]}
              nameOf={nameOf}
              open={open === version.version}
              onToggle={() => setOpen(open === version.version ? undefined : version.version)}
              onRestored={onRestored}
            />
          ))}
        </ol>
      </Paper>
      <ForgetVersions settingKey={settingKey} count={versions.length} />
    </Stack>
  );
}

const ENDED: Record<SettingChange, string> = {
  setting_write: 'changed it',
  setting_delete: 'deleted it',
  setting_restore: 'restored another version',
};

interface VersionRowProps {
  settingKey: string;
  now: SettingPast['now'];
  version: SettingVersion;
  /** The version before, if it is kept. */
  before: SettingVersion | undefined;
  nameOf: NameOf;
  open: boolean;
  onToggle: () => void;
  onRestored: () => void;
}

/** When a version was in force and who ended that; opened, what differs from now, and the way back to it. */
export function VersionRow(props: VersionRowProps) {
  const { version, nameOf, open } = props;
  const { identityId } = useOperator();
  const { action, actor, at } = version;
  const [{ text: who } = { text: actor }] = recordSentence(
    { action, actor, target: null, subject: null, details: {} },
    identityId,
    nameOf,
  );
  const panel = useId();
  const times = inForce(version, props.before);
  return (
    <li className={classes.version}>
      <div className={classes.line}>
        <div className={classes.when}>
          <Text size="sm" fw={600}>
            {times}
          </Text>
          <Text size="xs" c="dimmed">
            {who} {ENDED[action]} <RelativeTime at={at} />
          </Text>
        </div>
        <Button
          size="compact-sm"
          variant="default"
          aria-expanded={open}
          aria-controls={open ? panel : undefined}
          aria-label={`${open ? 'Close' : 'Compare'} ${times}`}
          onClick={props.onToggle}
        >
          {open ? 'Close' : 'Compare'}
        </Button>
      </div>
      {open && (
        <div id={panel}>
          <OpenVersion {...props} times={times} />
        </div>
      )}
    </li>
  );
}

/** A version that followed a deletion was stored at a time that nothing tells. */
function inForce({ at }: SettingVersion, before: SettingVersion | undefined): string {
  const until = exactTime(at);
  return before === undefined || before.action === 'setting_delete'
    ? `Until ${until}`
    : `${exactTime(before.at)} to ${until}`;
}

function OpenVersion({ settingKey, now, version, onRestored, times }: VersionRowProps & { times: string }) {
  const queryClient = useQueryClient();
  const { run, pending } = useSingleFlight();
  const [failure, setFailure] = useState<Failure>();
  const restore = async (): Promise<void> => {
    setFailure(undefined);
    try {
      const changed = await restoreVersion({ key: settingKey, version: version.version }, now);
      await queryClient.invalidateQueries({ queryKey: SETTINGS_KEY });
      offerSettingUndo(`${settingKey} is restored`, [settingChange(now?.setting, changed)], queryClient);
      onRestored();
    } catch (error) {
      setFailure(whyNot(error as Error));
      // What it is by now, beside the version.
      void queryClient.invalidateQueries({ queryKey: settingPastQuery(settingKey).queryKey });
    }
  };
  return (
    <Stack gap="sm" mt="sm">
      <VersionComparison settingKey={settingKey} now={now?.setting ?? null} version={version} times={times} />
      <Text size="sm">
        {now === null
          ? 'Restoring creates the setting again.'
          : 'What it is now becomes an earlier version, which can be restored too.'}{' '}
        Services that read it see the change once their cache expires, 60 seconds by default.
      </Text>
      {failure !== undefined && <FailurePanel error={failure} title="Not restored" />}
      <Group>
        <Button size="xs" loading={pending} onClick={() => void run(restore)}>
          Restore this version
        </Button>
      </Group>
    </Stack>
  );
}

function whyNot(error: Error): Error {
  if (!(error instanceof RequestError)) return error;
  if (error.code === 'precondition_failed')
    return reworded(
      error,
      'Somebody changed the setting after you opened its history. Compare again with what it is now.',
    );
  return error;
}

/** Removes every earlier version, after a second thought in the same place: the editor is a dialog already. */
export function ForgetVersions({ settingKey, count }: { settingKey: string; count: number }) {
  const queryClient = useQueryClient();
  const { run, pending } = useSingleFlight();
  const [asking, setAsking] = useState(false);
  const [failure, setFailure] = useState<Failure>();
  const forget = async (): Promise<void> => {
    setFailure(undefined);
    try {
      await forgetVersions(settingKey);
      toast(`The earlier versions of ${settingKey} are removed`);
      await queryClient.invalidateQueries({ queryKey: settingPastQuery(settingKey).queryKey });
    } catch (error) {
      setFailure(error as Error);
    }
  };
  return (
    <FocusOnChange of={asking ? 'question' : 'offer'}>
      {asking ? (
        <Stack gap="xs" role="group" aria-label="Remove earlier versions">
          <Text size="sm">
            They cannot be brought back. The setting stays as it is, and the audit trail says who removed them.
          </Text>
          {failure !== undefined && <FailurePanel error={failure} title="Not removed" />}
          <Group gap="xs">
            <Button size="xs" variant="default" disabled={pending} data-autofocus onClick={() => setAsking(false)}>
              Keep them
            </Button>
            <Button size="xs" color="red.9" loading={pending} onClick={() => void run(forget)}>
              Remove {counted(count, 'version', 'versions')}
            </Button>
          </Group>
        </Stack>
      ) : (
        <Button size="compact-sm" variant="subtle" ml={-8} data-autofocus onClick={() => setAsking(true)}>
          Remove earlier versions
        </Button>
      )}
    </FocusOnChange>
  );
}
