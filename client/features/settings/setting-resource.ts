import { text } from '../../../shared/json.ts';
import { present } from '../../api/identity-filters.ts';
import { defineResource, type PagedSearch, pagedSearch } from '../../list/resource.ts';
import { IconAdjustments } from '../../ui/shell-icons.tsx';

export const SETTINGS = defineResource({
  to: '/settings',
  one: 'setting',
  many: 'settings',
  title: 'Setting',
  label: 'Settings',
  about: 'Values that other services read at run time. Secrets are encrypted.',
  icon: IconAdjustments,
  letter: 's',
  needs: ['settings.read'],
  search: settingsSearch,
});

export interface SettingsSearch extends PagedSearch {
  /** Any part of the key. */
  q?: string;
  category?: string;
}

export function settingsSearch({ q, category, ...search }: Record<string, unknown>): SettingsSearch {
  return { ...present({ q: text(q) || undefined, category: text(category) || undefined }), ...pagedSearch(search) };
}
