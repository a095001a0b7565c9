import { Box, Button, Group, Paper, Stack, Text, Title } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useId, useState } from 'react';
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
import { QueryState } from '../../ui/query-state.tsx';
import { toast } from '../../ui/toasts.tsx';
import { VersionComparison } from './setting-values.tsx';

/**
 * Loads the setting's earlier versions, and who changed or revealed it, on demand.
 * @param deleted opens the history, because a deleted setting has nothing else to display
 */
export function SettingHistory(props: { settingKey: string; deleted: boolean; onRestored: () => void }) {
  const { settingKey, onRestored } = props;
  const [toggled, setOpen] = useState<boolean>();
  const open = toggled ?? props.deleted;
  return (
    <Stack gap="sm" mt="lg">
      <Button
        size="xs"
        variant="subtle"
        ml={-10}
        style={{ alignSelf: 'flex-start' }}
        leftSection={<IconHistory size={14} />}
        aria-expanded={open}
        onClick={() => setOpen(!open)}
      >
        History
      </Button>
      {open && (
        <>
          <Title order={3}>Earlier versions</Title>
          <EarlierVersions settingKey={settingKey} onRestored={onRestored} />
          <Title order={3} mt="sm">
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

/** The versions before the setting's changes, newest first. */
function EarlierVersions({ settingKey, onRestored }: { settingKey: string; onRestored: () => void }) {
  const query = useQuery(settingPastQuery(settingKey));
  const [open, setOpen] = useState<number>();
  const nameOf = useNameOf((query.data?.versions ?? []).map(byActor));
  return (
    <QueryState query={query} loading={<LoadingRows label="Loading the earlier versions" rows={2} height={56} />}>
      {({ now, versions }) =>
        versions.length === 0 ? (
          <Text size="sm" c="dimmed">
            No earlier versions. Versions are kept for a year; those in plain text are deleted when a setting is
            encrypted.
          </Text>
        ) : (
          <>
            <Text size="sm" c="dimmed" role="status">
              {counted(versions.length, 'earlier version', 'earlier versions')}
            </Text>
            <Paper withBorder>
              <ol data-rows aria-label="Earlier versions, newest first" aria-busy={query.isFetching}>
                {versions.map((version, index) => {
                  const times = inForce(version, versions[index + 1]);
                  return (
                    <VersionRow
                      key={version.version}
                      version={version}
                      times={times}
                      nameOf={nameOf}
                      open={open === version.version}
                      onToggle={() => setOpen(open === version.version ? undefined : version.version)}
                    >
                      <OpenVersion {...{ settingKey, now, version, times, onRestored }} />
                    </VersionRow>
                  );
                })}
              </ol>
            </Paper>
            <ForgetVersions settingKey={settingKey} count={versions.length} />
          </>
        )
      }
    </QueryState>
  );
}

/** The change that ended a version, as input for `recordSentence` and `useNameOf`. */
const byActor = ({ action, actor }: SettingVersion) => ({ action, actor, target: null, subject: null, details: {} });

const ENDED: Record<SettingChange, string> = {
  setting_write: 'changed it',
  setting_delete: 'deleted it',
  setting_restore: 'restored another version',
};

/** @param children buttons that compare and restore the version */
function VersionRow(props: {
  version: SettingVersion;
  times: string;
  nameOf: NameOf;
  open: boolean;
  onToggle: () => void;
  children: ReactNode;
}) {
  const { version, times, open } = props;
  const { identityId } = useOperator();
  const [who] = recordSentence(byActor(version), identityId, props.nameOf);
  const panel = useId();
  return (
    <Box component="li" px="0.875rem" py="0.625rem">
      <Group justify="space-between" align="flex-start" wrap="nowrap" gap="sm">
        <div>
          <Text size="sm" fw={600}>
            {times}
          </Text>
          <Text size="xs" c="dimmed">
            {who?.text ?? version.actor} {ENDED[version.action]} <RelativeTime at={version.at} />
          </Text>
        </div>
        <Button
          size="xs"
          variant="default"
          flex="none"
          aria-expanded={open}
          aria-controls={open ? panel : undefined}
          aria-label={`${open ? 'Close' : 'Compare'} ${times}`}
          onClick={props.onToggle}
        >
          {open ? 'Close' : 'Compare'}
        </Button>
      </Group>
      {open && <div id={panel}>{props.children}</div>}
    </Box>
  );
}

/** The period in which a version was in force. After a deletion, the beginning is unknown. */
function inForce({ at }: SettingVersion, before: SettingVersion | undefined): string {
  const until = exactTime(at);
  return before === undefined || before.action === 'setting_delete'
    ? `Until ${until}`
    : `${exactTime(before.at)} to ${until}`;
}

function OpenVersion(props: {
  settingKey: string;
  now: SettingPast['now'];
  version: SettingVersion;
  times: string;
  onRestored: () => void;
}) {
  const { settingKey, now, version, times } = props;
  const queryClient = useQueryClient();
  const { run, pending } = useSingleFlight();
  const [failure, setFailure] = useState<Failure>();
  const restore = async (): Promise<void> => {
    setFailure(undefined);
    try {
      const changed = await restoreVersion({ key: settingKey, version: version.version }, now);
      await queryClient.invalidateQueries({ queryKey: SETTINGS_KEY });
      offerSettingUndo(`${settingKey} is restored`, [settingChange(now?.setting, changed)], queryClient);
      props.onRestored();
    } catch (error) {
      setFailure(refusalOf(error));
      // Refetches, to compare the version with the currently stored setting.
      void queryClient.invalidateQueries({ queryKey: settingPastQuery(settingKey).queryKey });
    }
  };
  return (
    <Stack gap="sm" mt="sm">
      <VersionComparison settingKey={settingKey} now={now?.setting ?? null} version={version} times={times} />
      <Text size="sm">
        {now === null
          ? 'Restoring creates the setting again.'
          : 'The current value becomes an earlier version, which can be restored too.'}{' '}
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

const refusalOf = (error: unknown): Failure =>
  error instanceof RequestError && error.code === 'precondition_failed'
    ? reworded(
        error,
        'Somebody changed the setting after you opened its history. Compare again with what is stored now.',
      )
    : (error as Error);

/** Confirms in place, because the editor is already a dialog. */
function ForgetVersions({ settingKey, count }: { settingKey: string; count: number }) {
  const queryClient = useQueryClient();
  const { run, pending } = useSingleFlight();
  const [confirming, setConfirming] = useState(false);
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
    <FocusOnChange of={confirming ? 'confirm' : 'offer'}>
      {confirming ? (
        <Stack gap="xs" role="group" aria-label="Remove earlier versions">
          <Text size="sm">
            They cannot be restored. The setting stays as it is, and the audit trail records who removed them.
          </Text>
          {failure !== undefined && <FailurePanel error={failure} title="Not removed" />}
          <Group gap="xs">
            <Button size="xs" variant="default" disabled={pending} data-autofocus onClick={() => setConfirming(false)}>
              Keep them
            </Button>
            <Button size="xs" color="red.9" loading={pending} onClick={() => void run(forget)}>
              Remove {counted(count, 'version', 'versions')}
            </Button>
          </Group>
        </Stack>
      ) : (
        <Button size="xs" variant="subtle" ml={-10} data-autofocus onClick={() => setConfirming(true)}>
          Remove earlier versions
        </Button>
      )}
    </FocusOnChange>
  );
}
