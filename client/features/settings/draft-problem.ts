import { SETTING_KEY_MAX_CHARACTERS, SETTING_VALUE_MAX_BYTES, type Setting } from '../../../shared/settings.ts';
import { isBearerKey } from '../../../shared/upstreams.ts';
import { digits } from '../../format/counted.ts';
import { knownKey } from './known-keys.ts';
import type { SettingDraft } from './setting-draft.ts';

export type FieldProblems = Partial<Record<'key' | 'value' | 'category', string>>;

/**
 * Problems that can be found without the server, whose own rules are authoritative.
 * @param setting the stored one; undefined for a new one
 */
export function draftProblems(draft: SettingDraft, setting: Setting | undefined): FieldProblems {
  const problems: FieldProblems = {};
  if (draft.key === '') problems.key = 'A setting needs a key.';
  else if ([...draft.key].length > SETTING_KEY_MAX_CHARACTERS) {
    problems.key = `At most ${SETTING_KEY_MAX_CHARACTERS} characters.`;
  }
  if (setting?.encrypted && draft.value === '') {
    problems.value = 'Type the new value, or fill in the stored one. To remove the value, delete the setting.';
  } else if (new TextEncoder().encode(draft.value).length > SETTING_VALUE_MAX_BYTES) {
    problems.value = `At most ${digits(SETTING_VALUE_MAX_BYTES)} bytes.`;
  }
  if (problems.value === undefined && knownKey(draft.key)?.bearer && !isBearerKey(draft.value)) {
    problems.value = 'A key is sent in a header: 1 to 4,096 visible ASCII characters, no spaces.';
  }
  return problems;
}

/** A refusal by the server as the problem of one field; undefined for any other. */
export function problemAtField({ code, message }: { code: string; message: string }): FieldProblems | undefined {
  if (code === 'precondition_failed')
    return { key: 'A setting with this key already exists. Open it from the list to change it.' };
  if (code !== 'bad_request') return undefined;
  // The message begins with the field's name.
  const field = (['key', 'value', 'category'] as const).find((name) => message.startsWith(`${name} `));
  return field === undefined ? undefined : { [field]: message.charAt(0).toUpperCase() + message.slice(1) };
}
