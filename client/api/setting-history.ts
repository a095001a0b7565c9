import { queryOptions } from '@tanstack/react-query';
import type { SettingHistory, SettingRestoration, SettingVersion } from '../../shared/settings.ts';
import { request, send } from './request.ts';
import { SETTINGS_KEY } from './settings.ts';
import { changeOf, onlyOver, readTagged, type SettingChanged, type TaggedSetting } from './settings-record.ts';

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
