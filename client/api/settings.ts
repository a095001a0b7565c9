import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import type { Setting, SettingPage } from '../../shared/settings.ts';
import { request } from './request.ts';

/** With this, everything that was read of settings is read again. */
export const SETTINGS_KEY = ['settings'];
/** Settings per page. */
export const SETTINGS_STEP = 200;

/** What a list of settings shows: those with this text in their key, those of a category. */
export interface SettingsWanted {
  q?: string;
  category?: string;
}

function readPage(wanted: SettingsWanted, token: string | undefined, signal: AbortSignal): Promise<SettingPage> {
  const params = new URLSearchParams({ page_size: String(SETTINGS_STEP) });
  if (token !== undefined) params.set('page_token', token);
  if (wanted.q !== undefined) params.set('key_contains', wanted.q);
  if (wanted.category !== undefined) params.set('category', wanted.category);
  return request<SettingPage>(`/api/settings?${params}`, { signal });
}

/** Settings by key, page by page; encrypted values as ciphertext. */
export const settingPagesQuery = ({ q, category }: SettingsWanted) =>
  infiniteQueryOptions({
    queryKey: [...SETTINGS_KEY, 'pages', { q, category }],
    queryFn: ({ pageParam, signal }) => readPage({ q, category }, pageParam, signal),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ next_page_token }) => next_page_token ?? undefined,
  });

/** Every setting of social sign-ins. */
export const socialSettingsQuery = queryOptions({
  queryKey: [...SETTINGS_KEY, 'social'],
  queryFn: async ({ signal }) => {
    const settings: Setting[] = [];
    let token: string | undefined;
    do {
      const page = await readPage({ q: 'social.' }, token, signal);
      settings.push(...page.settings);
      token = page.next_page_token ?? undefined;
    } while (token !== undefined);
    return settings;
  },
});
