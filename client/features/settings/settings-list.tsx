import { Button, Stack, Text } from '@mantine/core';
import { getRouteApi } from '@tanstack/react-router';
import { Suspense, useDeferredValue, useMemo, useState } from 'react';
import type { Setting } from '../../../shared/settings.ts';
import { counted, digits } from '../../format/counted.ts';
import { EmptyState } from '../../ui/feedback/empty-state.tsx';
import { lazyDialog } from '../../ui/loading/lazy-part.tsx';
import { SettingsFilter } from './settings-filter.tsx';
import { SettingsTable } from './settings-table.tsx';

const route = getRouteApi('/signed-in/settings');
const DeleteSetting = lazyDialog(() => import('./delete-setting.tsx'), 'DeleteSetting');

/**
 * The settings that match the filters in the address. Filtering happens in the browser, since all settings are loaded.
 */
export function SettingsList({ settings }: { settings: readonly Setting[] }) {
  const { q, category } = route.useSearch();
  const navigate = route.useNavigate();
  const [deleting, setDeleting] = useState<Setting>();
  const wanted = useDeferredValue(q?.toLowerCase());
  const shown = useMemo(
    () =>
      settings.filter(
        (setting) =>
          (wanted === undefined || setting.key.toLowerCase().includes(wanted)) &&
          (category === undefined || setting.category === category),
      ),
    [settings, wanted, category],
  );

  if (settings.length === 0) {
    return (
      <EmptyState
        kind="no-data"
        title="No settings yet"
        text="Start with the API key of an upstream service or the credentials of a social provider."
      />
    );
  }
  return (
    <Stack gap="md">
      <SettingsFilter settings={settings} />
      <Text size="sm" c="dimmed" role="status">
        {shown.length === settings.length
          ? counted(settings.length, 'setting', 'settings')
          : `${digits(shown.length)} of ${digits(settings.length)} settings`}
      </Text>
      {shown.length === 0 ? (
        <EmptyState
          kind="no-match"
          title="No setting matches"
          text="No setting in this category has this text in its key."
          actions={
            <Button variant="default" size="xs" onClick={() => void navigate({ search: {}, replace: true })}>
              Show all settings
            </Button>
          }
        />
      ) : (
        <SettingsTable settings={shown} onDelete={setDeleting} />
      )}
      <Suspense>
        {deleting !== undefined && <DeleteSetting setting={deleting} onClose={() => setDeleting(undefined)} />}
      </Suspense>
    </Stack>
  );
}
