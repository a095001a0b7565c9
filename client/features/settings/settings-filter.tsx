import { Group, NativeSelect, TextInput } from '@mantine/core';
import { getRouteApi } from '@tanstack/react-router';
import { useMemo } from 'react';
import type { Setting } from '../../../shared/settings.ts';
import { IconSearch } from '../../ui/icons.ts';
import { categoriesOf } from './categories.ts';

const route = getRouteApi('/signed-in/settings');

export function SettingsFilter({ settings }: { settings: readonly Setting[] }) {
  const { q, category } = route.useSearch();
  const navigate = route.useNavigate();
  const categories = useMemo(() => categoriesOf(settings), [settings]);
  return (
    <Group component="search" gap="sm" align="flex-start">
      <TextInput
        label="Key contains"
        description="Searches all settings"
        inputWrapperOrder={['label', 'input', 'description']}
        flex="1 1 14rem"
        maw="24rem"
        leftSection={<IconSearch />}
        value={q ?? ''}
        onChange={(event) => {
          const text = event.currentTarget.value;
          void navigate({ search: (search) => ({ ...search, q: text }), replace: true });
        }}
      />
      <NativeSelect
        label="Category"
        flex="0 1 14rem"
        value={category ?? ''}
        data={[
          { value: '', label: 'All categories' },
          ...categories.map((name) => ({ value: name, label: name })),
          // A link may name a category that no longer has settings.
          ...(category !== undefined && !categories.includes(category) ? [{ value: category, label: category }] : []),
        ]}
        onChange={(event) => {
          const name = event.currentTarget.value;
          void navigate({ search: (search) => ({ ...search, category: name }) });
        }}
      />
    </Group>
  );
}
