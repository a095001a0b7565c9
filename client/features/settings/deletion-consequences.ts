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
    setting.encrypted
      ? 'The encrypted value is permanently deleted and cannot be recovered here.'
      : 'The value is deleted. Copy it first if you may need it again.',
  );
  return { consequences, typeKey: setting.encrypted || upstream !== undefined };
}
