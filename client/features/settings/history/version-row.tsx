import { Button, Group, Stack, Text } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useId, useState } from 'react';
import type { SettingChange, SettingVersion } from '../../../../shared/settings.ts';
import { RequestError, reworded } from '../../../api/request-error.ts';
import { useOperator } from '../../../api/session.ts';
import { restoreVersion, type SettingPast, settingPastQuery } from '../../../api/setting-history.ts';
import { SETTINGS_KEY } from '../../../api/settings.ts';
import { type NameOf, recordSentence } from '../../../audit-view/record-sentence.ts';
import { offerSettingUndo } from '../../../resource/undo/offer-setting-undo.ts';
import { writtenChange } from '../../../resource/undo/take-settings-back.ts';
import { type Failure, FailurePanel } from '../../../ui/feedback/failure-panel.tsx';
import { useSingleFlight } from '../../../ui/hooks/use-single-flight.ts';
import { exactTime, RelativeTime } from '../../../ui/relative-time.tsx';
import classes from './earlier-versions.module.css';
import { VersionComparison } from './version-comparison.tsx';

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
      offerSettingUndo(`${settingKey} is restored`, [writtenChange(now?.setting, changed)], queryClient);
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
