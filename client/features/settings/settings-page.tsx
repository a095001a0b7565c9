import { Button } from '@mantine/core';
import { keepPreviousData, useInfiniteQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { useEffect, useMemo, useState } from 'react';
import { useCan, useRefusal } from '../../api/session.ts';
import { settingPagesQuery } from '../../api/settings.ts';
import { GuardedButton } from '../../ui/buttons.tsx';
import { FailurePanel } from '../../ui/failure-panel.tsx';
import { IconLockCode, IconPlus } from '../../ui/icons.tsx';
import { PageHeading } from '../../ui/layout.tsx';
import { lazyPart } from '../../ui/lazy-part.tsx';
import { ListSkeleton } from '../../ui/loading.tsx';
import { NoAccessPage } from '../../ui/state-panel.tsx';
import { EncryptTool } from './setting-editor.tsx';
import { SettingsList } from './settings-list.tsx';

const route = getRouteApi('/signed-in/settings');
const SettingEditor = lazyPart(() => import('./setting-editor.tsx'), 'SettingEditor');

const HEADING = {
  title: 'Settings',
  about:
    'Other services read these values at run time. They see a change once their cache expires, 60 seconds by default.',
};

export function SettingsPage() {
  const may = useCan();
  const [encrypting, setEncrypting] = useState(false);
  const actions = <Actions onEncrypt={() => setEncrypting(true)} />;
  if (!may('settings.read')) return <NoAccessPage {...HEADING} actions={actions} />;
  return (
    <>
      <PageHeading {...HEADING} actions={actions} />
      <Settings />
      {encrypting && <EncryptTool onClose={() => setEncrypting(false)} />}
    </>
  );
}

function Actions({ onEncrypt }: { onEncrypt: () => void }) {
  const refusal = useRefusal('settings.write');
  return (
    <>
      <GuardedButton reason={refusal} variant="default" leftSection={<IconLockCode />} onClick={onEncrypt}>
        Encrypt a value
      </GuardedButton>
      {refusal === undefined ? (
        <Button
          leftSection={<IconPlus />}
          renderRoot={(props) => (
            <Link
              {...props}
              to="/settings"
              search={(current) => ({ ...current, key: undefined, new: 'true' })}
              preload={false}
            />
          )}
        >
          New setting
        </Button>
      ) : (
        <GuardedButton reason={refusal} leftSection={<IconPlus />} onClick={() => {}}>
          New setting
        </GuardedButton>
      )}
    </>
  );
}

function Settings() {
  const search = route.useSearch();
  const { q, category } = search;
  // A search keeps what it replaces until it is answered.
  const query = { ...settingPagesQuery({ q, category }), placeholderData: keepPreviousData };
  const { data, error, isFetching, isPlaceholderData, hasNextPage, fetchNextPage, refetch } = useInfiniteQuery(query);
  const settings = useMemo(() => data?.pages.flatMap((page) => page.settings), [data]);
  const categories = data?.pages[0]?.categories ?? [];
  // The forms load after the list, so that they open at once.
  useEffect(() => {
    if (settings !== undefined) void SettingEditor.preload?.();
  }, [settings]);
  return (
    <>
      {error !== null && (
        <FailurePanel error={error} onRetry={() => void (data === undefined ? refetch() : fetchNextPage())} />
      )}
      {settings === undefined ? (
        error === null && <ListSkeleton label="Loading the settings" rows={8} />
      ) : (
        <SettingsList
          settings={settings}
          categories={categories}
          searching={isPlaceholderData}
          more={hasNextPage ? { read: () => void fetchNextPage(), reading: isFetching } : undefined}
        />
      )}
      {settings !== undefined && (search.new !== undefined || search.key !== undefined) && (
        <SettingEditor key={`${search.new} ${search.key}`} listed={settings} categories={categories} />
      )}
    </>
  );
}
