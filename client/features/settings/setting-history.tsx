import { Button, Group, Paper, Stack, Text, Title } from '@mantine/core';
import { queryOptions, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { SettingChange, SettingRestoration, SettingVersion } from '../../../shared/settings.ts';
import { type QueryParameters, RequestError, request, reworded, send, withQuery } from '../../api/request.ts';
import { useCan, useOperator, useRefusal } from '../../api/session.ts';
import { readTagged, restoreVersion, SETTINGS_KEY, type TaggedSetting } from '../../api/settings.ts';
import { SubjectHistory } from '../../audit/record-list.tsx';
import { useNameOf } from '../../audit/record-names.tsx';
import { type NameOf, recordSentence } from '../../audit/record-sentence.ts';
import { counted } from '../../lib/format-count.ts';
import { shortened, visibleText } from '../../lib/visible-text.ts';
import { LatestByOther } from '../../record/timeline-sources.tsx';
import { offerSettingUndo, settingWrite } from '../../record/undo.ts';
import { SmallButton } from '../../ui/buttons.tsx';
import { exactTime, RelativeTime } from '../../ui/facts.tsx';
import { FailurePanel } from '../../ui/failure-panel.tsx';
import { FocusOnChange, useSingleFlight } from '../../ui/hooks.tsx';
import { Dimmed } from '../../ui/layout.tsx';
import { LoadingRows } from '../../ui/loading.tsx';
import { QueryState } from '../../ui/query-state.tsx';
import { useReason } from '../../ui/reason-field.tsx';
import { toast } from '../../ui/toasts.tsx';
import { SecretValue, VersionComparison } from './setting-values.tsx';
import classes from './settings.module.css';

const historyPath = (key: string, more: QueryParameters = {}): string =>
  withQuery('/api/setting-history', { key, ...more });

/** The current setting, null if it does not exist, and its earlier versions, newest first. */
interface SettingPast {
  now: TaggedSetting | null;
  versions: readonly SettingVersion[];
}

const settingPastQuery = (key: string) =>
  queryOptions({
    queryKey: [...SETTINGS_KEY, 'history', key],
    queryFn: async ({ signal }): Promise<SettingPast> => {
      // Sequential, to detect a change in between: the versions would then be newer than the tag.
      const now = await readTagged(key, signal);
      const { versions } = await request<Pick<SettingPast, 'versions'>>(historyPath(key), { signal });
      return { now, versions };
    },
  });

/** An earlier value in plaintext, which leaves an audit record. Never cached. */
async function decryptVersion({ key, version }: SettingRestoration): Promise<string> {
  const { versions } = await request<Pick<SettingPast, 'versions'>>(historyPath(key, { decrypt: 'true', version }));
  return versions[0]?.value ?? '';
}

/** The earlier versions of a setting, newest first, and who changed or revealed it. */
export function SettingHistory({ settingKey, onRestored }: { settingKey: string; onRestored: () => void }) {
  const query = useQuery(settingPastQuery(settingKey));
  const mayWrite = useCan()('settings.write');
  const count = query.data?.versions.length ?? 0;
  const changes = (query.data?.versions ?? []).map(byActor);
  const nameOf = useNameOf(changes);
  return (
    <Stack gap="sm">
      <LatestByOther records={changes} />
      <Title order={3}>Earlier versions</Title>
      <QueryState query={query} loading={<LoadingRows label="Loading the earlier versions" rows={2} height={72} />}>
        {({ now, versions }) =>
          count === 0 ? (
            <Dimmed>
              No earlier versions. Versions are kept for a year; those in plain text are deleted when a setting is
              encrypted.
            </Dimmed>
          ) : (
            <Paper withBorder>
              <ol data-rows aria-label="Earlier versions, newest first" aria-busy={query.isFetching}>
                {versions.map((version) => (
                  <VersionRow
                    key={version.version}
                    settingKey={settingKey}
                    now={now}
                    version={version}
                    nameOf={nameOf}
                    onRestored={onRestored}
                  />
                ))}
              </ol>
            </Paper>
          )
        }
      </QueryState>
      <WhoDidWhat settingKey={settingKey} />
      {count > 0 && mayWrite && <ForgetVersions settingKey={settingKey} count={count} />}
    </Stack>
  );
}

/** Loads the audit records on demand. */
function WhoDidWhat({ settingKey }: { settingKey: string }) {
  const [open, setOpen] = useState(false);
  return (
    <details onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <Text component="summary" size="sm" fw={600} w="fit-content" mb={6}>
        Who did what
      </Text>
      {open && (
        <SubjectHistory subject={`setting:${settingKey}`} nothing="The audit trail has no records of this setting." />
      )}
    </details>
  );
}

/** The change that ended a version, as input for `recordSentence` and `useNameOf`. */
const byActor = ({ action, actor, at }: SettingVersion) => ({
  ...{ action, actor, timestamp: at },
  ...{ target: null, subject: null, details: {} },
});

const ENDED: Record<SettingChange, string> = {
  setting_write: 'changed it',
  setting_delete: 'deleted it',
  setting_restore: 'restored another version',
};

function VersionRow(props: {
  settingKey: string;
  now: SettingPast['now'];
  version: SettingVersion;
  nameOf: NameOf;
  onRestored: () => void;
}) {
  const { settingKey, now, version } = props;
  const queryClient = useQueryClient();
  const { identityId } = useOperator();
  const { run, pending, failure } = useSingleFlight();
  const [comparing, setComparing] = useState(false);
  const [who] = recordSentence(byActor(version), identityId, props.nameOf);
  const until = `until ${exactTime(version.at)}`;
  const restore = async (): Promise<void> => {
    const changed = await restoreVersion({ key: settingKey, version: version.version }, now).catch((error: Error) => {
      // Refetch, to compare the version with what is stored now.
      void queryClient.invalidateQueries({ queryKey: settingPastQuery(settingKey).queryKey });
      if (!(error instanceof RequestError && error.code === 'precondition_failed')) throw error;
      throw reworded(
        error,
        'Somebody changed the setting after you opened its history. Compare the version with the current one again.',
      );
    });
    await queryClient.invalidateQueries({ queryKey: SETTINGS_KEY });
    offerSettingUndo(`Restored ${shortened(settingKey)}`, [settingWrite(now?.setting, changed)], queryClient);
    props.onRestored();
  };
  return (
    <li className={classes.version}>
      {version.encrypted ? (
        <SecretValue
          name={`${settingKey} ${until}`}
          read={() => decryptVersion({ key: settingKey, version: version.version })}
        />
      ) : (
        <Text size="sm" ff="monospace" truncate>
          {version.value === '' ? <em>empty</em> : visibleText(version.value.slice(0, FITS_IN_ROW))}
        </Text>
      )}
      <SmallButton
        reason={useRefusal('settings.write')}
        aria-label={`Restore the value ${until}`}
        loading={pending}
        onClick={() => void run(restore)}
      >
        Restore
      </SmallButton>
      <Dimmed size="xs">
        {who?.text ?? version.actor} {ENDED[version.action]} <RelativeTime at={version.at} />
      </Dimmed>
      <Button
        size="xs"
        variant="subtle"
        aria-label={`Compare the value ${until}`}
        aria-expanded={comparing}
        onClick={() => setComparing(!comparing)}
      >
        Compare
      </Button>
      {failure !== undefined && <FailurePanel error={failure} title="Not restored" />}
      {comparing && <VersionComparison settingKey={settingKey} now={now?.setting ?? null} version={version} />}
    </li>
  );
}

/** Longer values do not fit into a row. */
const FITS_IN_ROW = 100;

/** Confirms in place, because the editor is already a dialog. */
function ForgetVersions({ settingKey, count }: { settingKey: string; count: number }) {
  const queryClient = useQueryClient();
  const { run, pending, failure } = useSingleFlight();
  const { reason, missing, field } = useReason();
  const [confirming, setConfirming] = useState(false);
  const forget = async (): Promise<void> => {
    await send(historyPath(settingKey), { method: 'DELETE', reason });
    toast(`Removed the earlier versions of ${shortened(settingKey)}`);
    await queryClient.invalidateQueries({ queryKey: settingPastQuery(settingKey).queryKey });
  };
  return (
    <FocusOnChange of={confirming ? 'confirm' : 'offer'}>
      {confirming ? (
        <Stack gap="xs" role="group" aria-label="Remove earlier versions">
          <Text size="sm">
            Removed versions cannot be restored. The setting stays as it is. The audit trail records who removed them.
          </Text>
          {field}
          {failure !== undefined && <FailurePanel error={failure} title="Not removed" />}
          <Group gap="xs">
            <SmallButton disabled={pending} data-autofocus onClick={() => setConfirming(false)}>
              Keep them
            </SmallButton>
            <Button size="xs" color="red.9" loading={pending} disabled={missing} onClick={() => void run(forget)}>
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
