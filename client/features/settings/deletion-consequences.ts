import type { Setting } from '../../../shared/settings.ts';
import { apiKeySetting, UPSTREAM_NAMES } from '../../../shared/upstreams.ts';

/** The consequences of deleting this setting, and whether its key must be typed to confirm. */
export function deletionConsequences(setting: Setting): { consequences: string[]; typeKey: boolean } {
  const upstream = UPSTREAM_NAMES.find((name) => apiKeySetting(name) === setting.key);
  const consequences = [
    'Services that read it keep using the old value until their cache expires, 60 seconds by default.',
  ];
  if (upstream !== undefined) {
    consequences.push(`Requests under /api/${upstream} are then sent without a key; the upstream may reject them.`);
  }
  if (setting.key.startsWith('social.')) consequences.push('The sign-in page may stop offering this social provider.');
  consequences.push(
    'It can be restored for a year, from “Deleted settings” above the list, unless its earlier versions are removed; right after the deletion also by “Undo”.',
  );
  return { consequences, typeKey: setting.encrypted || upstream !== undefined };
}
