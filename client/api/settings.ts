import { queryOptions } from '@tanstack/react-query';
import type { EncryptInput, EncryptResult, Setting, SettingInput, SettingList } from '../../shared/settings.ts';
import { request, send } from './request.ts';

/** Every setting, encrypted values as ciphertext, ordered by key. */
export const settingsQuery = queryOptions({
  queryKey: ['settings'],
  queryFn: ({ signal }) => request<SettingList>('/api/settings', { signal }),
  select: (list: SettingList) => list.settings,
});

const pathOf = (key: string): string => `/api/settings/${encodeURIComponent(key)}`;

/** One decrypting request, recorded in the audit trail. The plaintext goes to the caller and into no cache. */
export async function decryptSetting(key: string): Promise<string> {
  const setting = await request<Setting>(`${pathOf(key)}?decrypt=true`);
  return setting.value;
}

/** Creates or updates; the answer is the record as stored. */
export const saveSetting = (input: SettingInput): Promise<Setting> =>
  request<Setting>('/api/settings', { method: 'POST', body: input });

export async function deleteSetting(key: string): Promise<void> {
  await send(pathOf(key), { method: 'DELETE' });
}

/** The ciphertext of a value; with a key it opens as that setting's value only. */
export const encryptValue = (input: EncryptInput): Promise<EncryptResult> =>
  request<EncryptResult>('/api/encrypt', { method: 'POST', body: input });
