import { queryOptions } from '@tanstack/react-query';
import {
  type EncryptInput,
  type EncryptResult,
  KEPT_VERSION_HEADER,
  type Setting,
  type SettingInput,
} from '../../shared/settings.ts';
import { tagOf } from './entity-tag.ts';
import { bodyOf, request, send } from './request.ts';
import { RequestError } from './request-error.ts';
import { SETTINGS_KEY } from './settings.ts';

export const settingPath = (key: string): string => `/api/settings/${encodeURIComponent(key)}`;

/** One setting by its key; null if there is none. */
export const settingQuery = (key: string) =>
  queryOptions({
    queryKey: [...SETTINGS_KEY, 'one', key],
    queryFn: ({ signal }) =>
      request<Setting>(settingPath(key), { signal }).catch((error) => {
        if (error instanceof RequestError && error.code === 'not_found') return null;
        throw error;
      }),
  });

/** Decrypts a value, which is recorded in the audit trail. The plaintext is never cached. */
export async function decryptSetting(key: string): Promise<string> {
  const setting = await request<Setting>(`${settingPath(key)}?decrypt=true`);
  return setting.value;
}

/** A setting with its entity tag, if that arrived. */
export interface TaggedSetting {
  setting: Setting;
  tag: string | undefined;
}

/** Null if there is none. */
export async function readTagged(key: string, signal?: AbortSignal): Promise<TaggedSetting | null> {
  try {
    const answer = await send(settingPath(key), { signal });
    return { setting: await bodyOf<Setting>(answer), tag: tagOf(answer) };
  } catch (error) {
    if (error instanceof RequestError && error.code === 'not_found') return null;
    throw error;
  }
}

/**
 * The condition that a setting is still this one. Without a tag the service cannot tell, so it is compared here.
 * @throws RequestError `precondition_failed` if it is another one by now
 */
export async function onlyOver({ setting, tag }: TaggedSetting): Promise<{ ifMatch?: string }> {
  if (tag !== undefined) return { ifMatch: tag };
  const now = await readTagged(setting.key);
  if (now !== null && stateOf(now.setting) === stateOf(setting)) return {};
  throw new RequestError({ status: 412, code: 'precondition_failed', message: 'The setting was changed meanwhile.' });
}

const stateOf = ({ value, encrypted, category, updated_at }: Setting): string =>
  JSON.stringify([value, encrypted, category, updated_at]);

/** A setting after a change, with what it takes to take that back: `restoreVersion({ key, version: kept }, changed)`. */
export interface SettingChanged extends TaggedSetting {
  /** The version kept of what it was; undefined if it is new, or if its plain text must not be kept. */
  kept: number | undefined;
}

export const changeOf = async (answer: Response): Promise<SettingChanged> => ({
  setting: await bodyOf<Setting>(answer),
  tag: tagOf(answer),
  kept: keptVersion(answer),
});

function keptVersion({ headers }: Response): number | undefined {
  const kept = headers.get(KEPT_VERSION_HEADER);
  return kept === null ? undefined : Number(kept);
}

/**
 * Creates or updates a setting.
 * @param onlyNew only creates @throws RequestError `precondition_failed` if there is one with this key
 */
export const saveSetting = async (input: SettingInput, onlyNew = false): Promise<SettingChanged> =>
  changeOf(await send('/api/settings', { method: 'POST', body: input, onlyNew }));

/**
 * @param over only if it is still this setting @throws RequestError `precondition_failed` otherwise
 * @returns the version kept of what it was, which `restoreVersion({ key, version }, null)` brings back
 */
export const deleteSetting = async (key: string, over?: TaggedSetting | null): Promise<number | undefined> =>
  keptVersion(await send(settingPath(key), { method: 'DELETE', ...(over && (await onlyOver(over))) }));

/** Encrypts a value; when a key is given, it can be decrypted only as that setting's value. */
export const encryptValue = (input: EncryptInput): Promise<EncryptResult> =>
  request<EncryptResult>('/api/encrypt', { method: 'POST', body: input });
