import { Button, Group, Stack, Text } from '@mantine/core';
import { getRouteApi } from '@tanstack/react-router';
import { useState } from 'react';
import type { Setting } from '../../../shared/settings.ts';
import { useCan } from '../../api/session.ts';
import { counted } from '../../format/counted.ts';
import { SearchFields } from '../../resource/search/search-fields.tsx';
import { EmptyState } from '../../ui/feedback/empty-state.tsx';
import { DeleteSetting } from './delete-setting.tsx';
import { DeletedSettings } from './history/deleted-settings.tsx';
import { SettingsTable } from './settings-table.tsx';

const route = getRouteApi('/signed-in/settings');
/** The settings that match the search in the address, as far as they are read. */
export function SettingsList(props: {
  settings: readonly Setting[];
  /** Every category that a setting has. */
  categories: readonly string[];
  /** The settings are those of the search before. */
  searching: boolean;
  /** Reads the next ones, if there are any. */
  more: { read: () => void; reading: boolean } | undefined;
}) {
  const { settings, categories, more } = props;
  const { q, category } = route.useSearch();
  const navigate = route.useNavigate();
  const [deleting, setDeleting] = useState<Setting>();
  const [lookingBack, setLookingBack] = useState(false);
  const deleted = useCan()('audit.read') && (
    <Button size="compact-sm" variant="subtle" onClick={() => setLookingBack(true)}>
      Deleted settings
    </Button>
  );
  const deletedDialog = lookingBack && <DeletedSettings onClose={() => setLookingBack(false)} />;
  const all = q === undefined && category === undefined;

  if (all && settings.length === 0 && !props.searching) {
    return (
      <>
        <EmptyState
          kind="no-data"
          title="No settings yet"
          text="Start with the API key of an upstream service or the credentials of a social provider."
          actions={deleted}
        />
        {deletedDialog}
      </>
    );
  }
  // A link may name a category that no longer has settings.
  const choices = category === undefined || categories.includes(category) ? categories : [...categories, category];
  return (
    <Stack gap="md">
      <SearchFields
        fields={{
          q: { label: 'Key contains', cleared: 'the text', flex: '1 1 12rem' },
          category: {
            label: 'Category',
            flex: '0 1 14rem',
            choices: [
              { value: '', label: 'All categories' },
              ...choices.toSorted((a, b) => a.localeCompare(b)).map((name) => ({ value: name, label: name })),
            ],
          },
        }}
        explanation="Finds the text anywhere in a key, in capital and small letters alike."
      />
      <Group justify="space-between" gap="xs">
        <Text size="sm" c="dimmed" role="status">
          {more === undefined ? '' : 'The first '}
          {counted(settings.length, 'setting', 'settings')}
          {!all && ' found'}
        </Text>
        {deleted}
      </Group>
      {settings.length === 0 ? (
        <EmptyState
          kind="no-match"
          title="No setting matches"
          text={
            category === undefined
              ? 'No setting has this text in its key.'
              : 'No setting in this category has this text in its key.'
          }
          actions={
            <Button variant="default" size="xs" onClick={() => void navigate({ search: {}, replace: true })}>
              Show all settings
            </Button>
          }
        />
      ) : (
        <SettingsTable settings={settings} onDelete={setDeleting} more={more} />
      )}
      {deletedDialog}
      {deleting !== undefined && <DeleteSetting setting={deleting} onClose={() => setDeleting(undefined)} />}
    </Stack>
  );
}
