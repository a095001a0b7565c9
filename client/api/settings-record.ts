import { queryOptions } from '@tanstack/react-query';
import type { EncryptInput, EncryptResult, Setting, SettingInput } from '../../shared/settings.ts';
import { request, send } from './request.ts';
import { RequestError } from './request-error.ts';
import { SETTINGS_KEY } from './settings.ts';

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
