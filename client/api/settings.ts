import { queryOptions } from '@tanstack/react-query';
import {
  KEPT_VERSION_HEADER,
  type Setting,
  type SettingInput,
  type SettingPage,
  type SettingRestoration,
  type SocialConnections,
} from '../../shared/settings.ts';
import type { CursorPage } from './cursor-page.ts';
import { bodyOf, RequestError, request, send, tagOf, unlessGone, withQuery } from './request.ts';

/** Key prefix of all settings queries, for invalidation after a write. */
export const SETTINGS_KEY = ['settings'];
/** Key prefix of the pages of the list. */
export const SETTING_PAGES_KEY = [...SETTINGS_KEY, 'page'];

interface SettingPageParams {
  /** Any part of the key. */
  q?: string | undefined;
  category?: string | undefined;
  pageSize: number;
  token?: string | undefined;
}

const readPage = ({ q, category, pageSize, token }: SettingPageParams, signal: AbortSignal): Promise<SettingPage> =>
  request(withQuery('/api/settings', { page_size: pageSize, page_token: token, key_contains: q, category }), {
    signal,
  });

/** Settings sorted by key; encrypted values as ciphertext. */
export const settingPageQuery = (params: SettingPageParams) =>
  queryOptions({
    queryKey: [...SETTING_PAGES_KEY, params],
    queryFn: async ({ signal }): Promise<CursorPage<{ id: string; setting: Setting }>> => {
      const { settings, next_page_token } = await readPage(params, signal);
      return {
        rows: settings.map((setting) => ({ id: setting.key, setting })),
        next: next_page_token ?? undefined,
      };
    },
  });

export const settingCategoriesQuery = queryOptions({
  queryKey: [...SETTINGS_KEY, 'categories'],
  queryFn: async ({ signal }) => (await readPage({ pageSize: 1 }, signal)).categories ?? [],
});

async function readAll(q: string | undefined, signal: AbortSignal): Promise<Setting[]> {
  const settings: Setting[] = [];
  let token: string | undefined;
  do {
    const page = await readPage({ q, pageSize: 200, token }, signal);
    settings.push(...page.settings);
    token = page.next_page_token ?? undefined;
  } while (token !== undefined);
  return settings;
}

/** All settings of social sign-ins, and others whose key contains `social.`. */
export const socialSettingsQuery = queryOptions({
  queryKey: [...SETTINGS_KEY, 'social'],
  queryFn: ({ signal }) => readAll('social.', signal),
});

export const settingKeysQuery = queryOptions({
  queryKey: [...SETTINGS_KEY, 'keys'],
  queryFn: async ({ signal }) => new Set((await readAll(undefined, signal)).map(({ key }) => key)),
});

export const settingPath = (key: string): string => `/api/settings/${encodeURIComponent(key)}`;

/** A single setting; null if it does not exist. */
export const settingQuery = (key: string) =>
  queryOptions({
    queryKey: [...SETTINGS_KEY, 'one', key],
    queryFn: async ({ signal }) => (await readTagged(key, signal))?.setting ?? null,
  });

/** Decrypts a value, which leaves an audit record. Never cache the plaintext. */
export async function decryptSetting(key: string): Promise<string> {
  const setting = await request<Setting>(`${settingPath(key)}?decrypt=true`);
  return setting.value;
}

/** A setting with its entity tag; a proxy may drop the tag. */
export interface TaggedSetting {
  setting: Setting;
  tag: string | undefined;
}

export async function readTagged(key: string, signal?: AbortSignal): Promise<TaggedSetting | null> {
  const response = await send(settingPath(key), { signal }).catch(unlessGone);
  return response === undefined ? null : { setting: await bodyOf<Setting>(response), tag: tagOf(response) };
}

/**
 * Options for a write that replaces only this version of a setting. Without a tag, compares the versions here.
 * @throws RequestError `precondition_failed` if the setting has changed
 */
async function ifUnchanged({ setting, tag }: TaggedSetting): Promise<{ ifMatch?: string | undefined }> {
  if (tag !== undefined) return { ifMatch: tag };
  const now = await readTagged(setting.key);
  if (now !== null && stateOf(now.setting) === stateOf(setting)) return { ifMatch: now.tag };
  throw new RequestError({ status: 412, code: 'precondition_failed', message: 'The setting has changed.' });
}

const stateOf = ({ value, encrypted, category, updated_at }: Setting): string =>
  JSON.stringify([value, encrypted, category, updated_at]);

/** A setting after a change, which `restoreVersion({ key, version: undoVersion }, changed)` undoes. */
export interface SettingChanged extends TaggedSetting {
  /** The previous version in the history; undefined for a new setting, or if its plaintext must not be stored. */
  undoVersion: number | undefined;
}

const changeOf = async (response: Response): Promise<SettingChanged> => ({
  setting: await bodyOf<Setting>(response),
  tag: tagOf(response),
  undoVersion: versionIn(response),
});

function versionIn({ headers }: Response): number | undefined {
  const version = headers.get(KEPT_VERSION_HEADER);
  return version === null ? undefined : Number(version);
}

/**
 * Creates or updates a setting.
 * @param over replaces only this version; null to create only; undefined to replace any
 * @throws RequestError `precondition_failed` if the setting has changed or the key exists
 */
export async function saveSetting(
  input: SettingInput,
  over?: Setting | null,
  reason?: string,
): Promise<SettingChanged> {
  const options = over === null ? { onlyNew: true } : over && (await ifUnchanged({ setting: over, tag: undefined }));
  return changeOf(await send('/api/settings', { method: 'POST', body: input, reason, ...options }));
}

/**
 * @param over deletes only this version @throws RequestError `precondition_failed` if it is no longer current
 * @returns the version in the history, which `restoreVersion({ key, version }, null)` restores
 */
export const deleteSetting = async (
  key: string,
  over?: TaggedSetting | null,
  reason?: string,
): Promise<number | undefined> =>
  versionIn(await send(settingPath(key), { method: 'DELETE', reason, ...(over && (await ifUnchanged(over))) }));

/**
 * Restores an earlier version of a setting.
 * @param over replaces only this version; null to create only
 * @throws RequestError `precondition_failed` if the setting has changed, `not_found` if the version was removed
 */
export async function restoreVersion(
  restoration: SettingRestoration,
  over: TaggedSetting | null,
): Promise<SettingChanged> {
  const options = over === null ? { onlyNew: true } : await ifUnchanged(over);
  return changeOf(await send('/api/setting-history/restore', { method: 'POST', body: restoration, ...options }));
}

export const socialConnectionsQuery = queryOptions({
  queryKey: ['social-connections'],
  queryFn: ({ signal }) => request<SocialConnections>('/api/connections/social', { signal }),
  select: ({ providers }) => providers,
});
