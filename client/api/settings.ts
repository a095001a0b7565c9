import { queryOptions } from '@tanstack/react-query';
import type { EncryptInput, EncryptResult, Setting, SettingInput, SettingList } from '../../shared/settings.ts';
import { request, send } from './request.ts';

/** Every setting, ordered by key; encrypted values as ciphertext. */
export const settingsQuery = queryOptions({
  queryKey: ['settings'],
  queryFn: ({ signal }) => request<SettingList>('/api/settings', { signal }),
  select: (list: SettingList) => list.settings,
});

const pathOf = (key: string): string => `/api/settings/${encodeURIComponent(key)}`;

/** Decrypts a value, which is recorded in the audit trail. The plaintext is never cached. */
export async function decryptSetting(key: string): Promise<string> {
  const setting = await request<Setting>(`${pathOf(key)}?decrypt=true`);
  return setting.value;
}

/** Creates or updates a setting. Returns the stored record. */
export const saveSetting = (input: SettingInput): Promise<Setting> =>
  request<Setting>('/api/settings', { method: 'POST', body: input });

export async function deleteSetting(key: string): Promise<void> {
  await send(pathOf(key), { method: 'DELETE' });
}

/** Encrypts a value; when a key is given, it can be decrypted only as that setting's value. */
export const encryptValue = (input: EncryptInput): Promise<EncryptResult> =>
  request<EncryptResult>('/api/encrypt', { method: 'POST', body: input });
