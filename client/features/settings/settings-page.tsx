import { Skeleton } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { settingsQuery } from '../../api/settings.ts';
import { FailurePanel } from '../../ui/failure-panel.tsx';
import { PageHeading } from '../../ui/page-heading.tsx';

export function SettingsPage() {
  const { data, error, refetch } = useQuery(settingsQuery);
  return (
    <>
      <PageHeading title="Settings" />
      {error !== null && <FailurePanel error={error} onRetry={() => void refetch()} />}
      {data === undefined ? <Skeleton height={200} /> : data.map(({ key }) => <p key={key}>{key}</p>)}
    </>
  );
}
