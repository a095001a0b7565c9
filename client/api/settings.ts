import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import {
  type EncryptInput,
  type EncryptResult,
  KEPT_VERSION_HEADER,
  type Setting,
  type SettingHistory,
  type SettingInput,
  type SettingPage,
  type SettingRestoration,
  type SettingVersion,
  type SocialConnections,
} from '../../shared/settings.ts';
import { bodyOf, type QueryParameters, RequestError, request, send, tagOf, withQuery } from './request.ts';

/** Key prefix of everything that is read of settings, for invalidation after a write. */
export const SETTINGS_KEY = ['settings'];
const PAGE_SIZE = 200;

const readPage = (
  token: string | undefined,
  signal: AbortSignal,
  q?: string,
  category?: string,
): Promise<SettingPage> =>
  request(withQuery('/api/settings', { page_size: PAGE_SIZE, page_token: token, key_contains: q, category }), {
    signal,
  });

/** Settings by key, page by page; encrypted values as ciphertext. @param filter.q any part of the key */
export const settingPagesQuery = ({ q, category }: { q?: string; category?: string }) =>
  infiniteQueryOptions({
    queryKey: [...SETTINGS_KEY, 'pages', { q, category }],
    queryFn: ({ pageParam, signal }) => readPage(pageParam, signal, q, category),
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
      const page = await readPage(token, signal, 'social.');
      settings.push(...page.settings);
      token = page.next_page_token ?? undefined;
    } while (token !== undefined);
    return settings;
  },
});

export const settingPath = (key: string): string => `/api/settings/${encodeURIComponent(key)}`;

/** One setting by its key; null if there is none. */
export const settingQuery = (key: string) =>
  queryOptions({
    queryKey: [...SETTINGS_KEY, 'one', key],
    queryFn: async ({ signal }) => (await readTagged(key, signal))?.setting ?? null,
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
    const response = await send(settingPath(key), { signal });
    return { setting: await bodyOf<Setting>(response), tag: tagOf(response) };
  } catch (error) {
    if (error instanceof RequestError && error.code === 'not_found') return null;
    throw error;
  }
}

/**
 * The condition that a setting is still this one. Without a tag the service cannot tell, so it is compared here.
 * @throws RequestError `precondition_failed` if it is another one by now
 */
async function onlyOver({ setting, tag }: TaggedSetting): Promise<{ ifMatch?: string }> {
  if (tag !== undefined) return { ifMatch: tag };
  const now = await readTagged(setting.key);
  if (now !== null && stateOf(now.setting) === stateOf(setting)) return {};
  throw new RequestError({ status: 412, code: 'precondition_failed', message: 'The setting has changed.' });
}

const stateOf = ({ value, encrypted, category, updated_at }: Setting): string =>
  JSON.stringify([value, encrypted, category, updated_at]);

/** A setting after a change, which `restoreVersion({ key, version: undoVersion }, changed)` undoes. */
export interface SettingChanged extends TaggedSetting {
  /** The version kept of what it was; undefined if it is new, or if its plain text must not be kept. */
  undoVersion: number | undefined;
}

const changeOf = async (response: Response): Promise<SettingChanged> => ({
  setting: await bodyOf<Setting>(response),
  tag: tagOf(response),
  undoVersion: versionIn(response),
});

function versionIn({ headers }: Response): number | undefined {
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
  versionIn(await send(settingPath(key), { method: 'DELETE', ...(over && (await onlyOver(over))) }));

/** Encrypts a value; when a key is given, it can be decrypted only as that setting's value. */
export const encryptValue = (input: EncryptInput): Promise<EncryptResult> =>
  request<EncryptResult>('/api/encrypt', { method: 'POST', body: input });

const PATH = '/api/setting-history';

const historyPath = (key: string, more: QueryParameters = {}): string => withQuery(PATH, { key, ...more });

/** A setting as it is now, null if there is none; and its earlier versions, newest first. */
export interface SettingPast {
  now: TaggedSetting | null;
  versions: readonly SettingVersion[];
}

export const settingPastQuery = (key: string) =>
  queryOptions({
    queryKey: [...SETTINGS_KEY, 'history', key],
    queryFn: async ({ signal }): Promise<SettingPast> => {
      // One after the other: a change in between is noticed, since the versions are then newer than the tag.
      const now = await readTagged(key, signal);
      const { versions } = await request<SettingHistory>(historyPath(key), { signal });
      return { now, versions };
    },
  });

/** An earlier value in plain text, which is recorded in the audit trail. Never cached. */
export async function decryptVersion({ key, version }: SettingRestoration): Promise<string> {
  const { versions } = await request<SettingHistory>(historyPath(key, { decrypt: 'true', version }));
  return versions[0]?.value ?? '';
}

/**
 * Makes an earlier version the setting again, unless it is no longer what `over` says.
 * @param over the setting that may be replaced; null if it may only be created
 * @throws RequestError `precondition_failed` if it was changed, `not_found` if the version is no longer kept
 */
export async function restoreVersion(
  restoration: SettingRestoration,
  over: TaggedSetting | null,
): Promise<SettingChanged> {
  const options = over === null ? { onlyNew: true } : await onlyOver(over);
  return changeOf(await send(`${PATH}/restore`, { method: 'POST', body: restoration, ...options }));
}

/** Removes every earlier version of a setting; the setting stays. */
export async function forgetVersions(key: string): Promise<void> {
  await send(historyPath(key), { method: 'DELETE' });
}

/** The providers that login pages offer. */
export const socialConnectionsQuery = queryOptions({
  queryKey: ['social-connections'],
  queryFn: ({ signal }) => request<SocialConnections>('/api/connections/social', { signal }),
  select: ({ providers }) => providers,
});
