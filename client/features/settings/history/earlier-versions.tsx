import { Paper, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { settingPastQuery } from '../../../api/setting-history.ts';
import { useNameOf } from '../../../audit-view/operator-names.ts';
import { counted } from '../../../format/counted.ts';
import { FailurePanel } from '../../../ui/feedback/failure-panel.tsx';
import { LoadingRows } from '../../../ui/loading/loading-rows.tsx';
import classes from './earlier-versions.module.css';
import { ForgetVersions } from './forget-versions.tsx';
import { VersionRow } from './version-row.tsx';

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
