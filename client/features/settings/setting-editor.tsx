import { Button, Drawer, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link, useBlocker } from '@tanstack/react-router';
import { useRef } from 'react';
import type { Setting } from '../../../shared/settings.ts';
import { settingQuery } from '../../api/settings-record.ts';
import { UnsavedChangesDialog } from '../../ui/dialog/unsaved-changes-dialog.tsx';
import { FailurePanel } from '../../ui/feedback/failure-panel.tsx';
import { LoadingRows } from '../../ui/loading/loading-rows.tsx';
import { CopySetting } from './copy-setting.tsx';
import { SettingForm } from './setting-form.tsx';
import { SettingHistory } from './setting-history.tsx';

const route = getRouteApi('/signed-in/settings');

/** The form next to the list. What is open is in the address, so that Back closes it and links open it. */
export function SettingEditor(props: {
  /** Those of the list, which need not be read again. */
  listed: readonly Setting[];
  categories: readonly string[];
}) {
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const unsaved = useRef(false);
  const blocker = useBlocker({
    shouldBlockFn: () => unsaved.current,
    enableBeforeUnload: () => unsaved.current,
    withResolver: true,
  });
  const leave = (ignoreBlocker: boolean) =>
    void navigate({ search: (current) => ({ ...current, key: undefined, new: undefined }), ignoreBlocker });
  const close = () => leave(false);

  const creating = search.new !== undefined;
  const listed = props.listed.find(({ key }) => key === search.key);
  const read = useQuery({ ...settingQuery(search.key ?? ''), enabled: !creating && listed === undefined });
  const setting = creating ? undefined : (listed ?? read.data);
  return (
    <>
      <Drawer opened onClose={close} position="right" size="34rem" title={creating ? 'New setting' : 'Edit setting'}>
        {setting === null ? (
          <NoSuchSetting settingKey={search.key ?? ''} />
        ) : setting === undefined && !creating ? (
          read.error === null ? (
            <LoadingRows label="Loading the setting" rows={4} height={44} />
          ) : (
            <FailurePanel error={read.error} onRetry={() => void read.refetch()} />
          )
        ) : (
          <SettingForm
            categories={props.categories}
            setting={setting}
            newKey={search.key ?? ''}
            onUnsaved={(dirty) => {
              unsaved.current = dirty;
            }}
            onSaved={() => leave(true)}
            onClose={close}
          />
        )}
        {setting && <CopySetting setting={setting} />}
        {!creating && search.key !== undefined && (
          <SettingHistory settingKey={search.key} deleted={setting === null} onRestored={() => leave(true)} />
        )}
      </Drawer>
      {blocker.status === 'blocked' && <UnsavedChangesDialog onStay={blocker.reset} onLeave={blocker.proceed} />}
    </>
  );
}

function NoSuchSetting({ settingKey }: { settingKey: string }) {
  return (
    <Stack>
      <Text size="sm">
        No setting has the key <strong>{settingKey}</strong>. It may have been deleted: what is kept of it can be
        restored below.
      </Text>
      <div>
        <Button
          renderRoot={(props) => (
            <Link {...props} to="/settings" search={(current) => ({ ...current, key: settingKey, new: 'true' })} />
          )}
        >
          Create it
        </Button>
      </div>
    </Stack>
  );
}
