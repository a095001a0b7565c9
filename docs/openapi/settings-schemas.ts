import {
  SETTING_CHANGES,
  type Setting,
  type SettingHistory,
  type SettingList,
  type SettingPage,
  type SettingVersion,
} from '../../shared/settings.ts';
import {
  component,
  count,
  described,
  flag,
  listOf,
  objectOf,
  oneOf,
  orNull,
  type Schema,
  text,
  time,
} from './route.ts';

/** Settings and their earlier versions. */
export const SETTINGS_SCHEMAS: Readonly<Record<string, Schema>> = {
  Setting: objectOf<Setting>({
    key: text,
    value: described(text, 'Ciphertext if `encrypted`, unless read with `decrypt=true`.'),
    encrypted: flag,
    category: orNull(text),
    updated_at: time,
  }),
  SettingList: objectOf<SettingList>({ settings: listOf(component('Setting')) }),
  SettingPage: objectOf<SettingPage>(
    {
      settings: listOf(component('Setting')),
      next_page_token: orNull(text),
      has_more: flag,
      categories: described(listOf(text), 'Every category that a setting has; on the first page only.'),
    },
    ['categories'],
  ),
  SettingVersion: objectOf<SettingVersion>({
    version: described(count, 'The number of the audit record of the change that replaced it.'),
    value: described(text, 'Ciphertext if `encrypted`, unless read with `decrypt=true`.'),
    encrypted: flag,
    category: orNull(text),
    at: described(time, 'When it was replaced.'),
    actor: described(text, 'Who replaced it.'),
    action: oneOf(SETTING_CHANGES),
  }),
  SettingHistory: objectOf<SettingHistory>({ versions: listOf(component('SettingVersion')) }),
};
