import type { Setting } from '../../../shared/settings.ts';
import { apiKeySetting, UPSTREAM_NAMES } from '../../../shared/upstreams.ts';

/** What deleting this setting does, in words; and whether its key must be typed first. */
export function deletionConsequences(setting: Setting): { consequences: string[]; typeKey: boolean } {
  const upstream = UPSTREAM_NAMES.find((name) => apiKeySetting(name) === setting.key);
  const consequences = [
    'Services that read it go on with the old value until their cache expires, 60 seconds by default.',
  ];
  if (upstream !== undefined) {
    consequences.push(
      `Requests under /api/${upstream} are sent without a key from then on; the upstream may refuse them.`,
    );
  }
  if (setting.key.startsWith('social.')) consequences.push('The sign-in page may stop offering this social provider.');
  consequences.push(
    setting.encrypted
      ? 'The encrypted value is gone for good: it cannot be recovered from here.'
      : 'The value is gone; note it down if it may be needed again.',
  );
  return { consequences, typeKey: setting.encrypted || upstream !== undefined };
}
