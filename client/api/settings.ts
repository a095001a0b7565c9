import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import type { EncryptInput, EncryptResult, Setting, SettingInput, SettingPage } from '../../shared/settings.ts';
import { request, send } from './request.ts';
import { RequestError } from './request-error.ts';

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

const pathOf = (key: string): string => `/api/settings/${encodeURIComponent(key)}`;

/** One setting by its key; null if there is none. */
export const settingQuery = (key: string) =>
  queryOptions({
    queryKey: [...SETTINGS_KEY, 'one', key],
    queryFn: ({ signal }) =>
      request<Setting>(pathOf(key), { signal }).catch((error) => {
        if (error instanceof RequestError && error.code === 'not_found') return null;
        throw error;
      }),
  });

/** Decrypts a value, which is recorded in the audit trail. The plaintext is never cached. */
export async function decryptSetting(key: string): Promise<string> {
  const setting = await request<Setting>(`${pathOf(key)}?decrypt=true`);
  return setting.value;
}

/**
 * Creates or updates a setting. Returns the stored record.
 * @param onlyNew only creates @throws RequestError `precondition_failed` if there is one with this key
 */
export const saveSetting = (input: SettingInput, onlyNew = false): Promise<Setting> =>
  request<Setting>('/api/settings', { method: 'POST', body: input, onlyNew });

export async function deleteSetting(key: string): Promise<void> {
  await send(pathOf(key), { method: 'DELETE' });
}

/** Encrypts a value; when a key is given, it can be decrypted only as that setting's value. */
export const encryptValue = (input: EncryptInput): Promise<EncryptResult> =>
  request<EncryptResult>('/api/encrypt', { method: 'POST', body: input });
