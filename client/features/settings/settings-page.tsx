import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { Suspense, useEffect, useState } from 'react';
import { useRefusal } from '../../api/session.ts';
import { settingsQuery } from '../../api/settings.ts';
import { IconLockCode } from '../../resource/icons.ts';
import { FailurePanel } from '../../ui/feedback/failure-panel.tsx';
import { GuardedButton } from '../../ui/guarded-button.tsx';
import { IconPlus } from '../../ui/icons.ts';
import { lazyDialog } from '../../ui/loading/lazy-part.tsx';
import { ListSkeleton } from '../../ui/loading/list-skeleton.tsx';
import { PageHeading } from '../../ui/page-heading.tsx';
import { SettingsList } from './settings-list.tsx';

const route = getRouteApi('/signed-in/settings');
const EncryptTool = lazyDialog(() => import('./encrypt-tool.tsx'), 'EncryptTool');
const SettingEditor = lazyDialog(() => import('./setting-editor.tsx'), 'SettingEditor');

export function SettingsPage() {
  const { data: settings, error, refetch } = useQuery(settingsQuery);
  const search = route.useSearch();
  const refusal = useRefusal('settings.write');
  // The forms load after the list, so that they open at once.
  useEffect(() => {
    if (settings !== undefined) void SettingEditor.preload?.();
  }, [settings]);
  const [encrypting, setEncrypting] = useState(false);
  return (
    <>
      <PageHeading
        title="Settings"
        about="Other services read these values at run time. They see a change once their cache expires, 60 seconds by default."
        actions={
          <>
            <GuardedButton
              reason={refusal}
              variant="default"
              leftSection={<IconLockCode />}
              onClick={() => setEncrypting(true)}
            >
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
        }
      />
      {error !== null && <FailurePanel error={error} onRetry={() => void refetch()} />}
      {settings === undefined ? (
        error === null && <ListSkeleton label="Loading the settings" rows={8} />
      ) : (
        <SettingsList settings={settings} />
      )}
      <Suspense>
        {settings !== undefined && (search.new !== undefined || search.key !== undefined) && (
          <SettingEditor key={`${search.new} ${search.key}`} settings={settings} />
        )}
        {encrypting && <EncryptTool onClose={() => setEncrypting(false)} />}
      </Suspense>
    </>
  );
}
