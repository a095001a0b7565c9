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
import { bodyOf, RequestError, request, send, tagOf } from './request.ts';

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

const PATH = '/api/setting-history';

const pathOfHistory = (key: string, query: Record<string, string> = {}): string =>
  `${PATH}?${new URLSearchParams({ key, ...query })}`;

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
      const { versions } = await request<SettingHistory>(pathOfHistory(key), { signal });
      return { now, versions };
    },
  });

/** An earlier value in plain text, which is recorded in the audit trail. Never cached. */
export async function decryptVersion({ key, version }: SettingRestoration): Promise<string> {
  const query = { decrypt: 'true', version: String(version) };
  const { versions } = await request<SettingHistory>(pathOfHistory(key, query));
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
  await send(pathOfHistory(key), { method: 'DELETE' });
}

/** The providers that login pages are told to offer. */
export const socialConnectionsQuery = queryOptions({
  queryKey: ['social-connections'],
  queryFn: ({ signal }) => request<SocialConnections>('/api/connections/social', { signal }),
  select: ({ providers }) => providers,
});
