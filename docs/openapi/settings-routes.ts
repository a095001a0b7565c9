import {
  type EncryptInput,
  type EncryptResult,
  KEPT_VERSION_HEADER,
  SETTING_CATEGORY_MAX_CHARACTERS,
  SETTING_KEY_MAX_CHARACTERS,
  SETTING_VALUE_MAX_BYTES,
  SETTING_VERSION_DAYS,
  SETTING_VERSIONS_MAX,
  type SettingInput,
  type SettingRestoration,
} from '../../shared/settings.ts';
import { PAGING } from './identities-routes.ts';
import {
  component,
  described,
  flag,
  inPath,
  objectOf,
  orNull,
  type Parameter,
  query,
  REASON,
  type RouteEntry,
  type Schema,
  text,
} from './route.ts';

const key: Schema = { type: 'string', minLength: 1, maxLength: SETTING_KEY_MAX_CHARACTERS };
const category: Schema = { type: 'string', minLength: 1, maxLength: SETTING_CATEGORY_MAX_CHARACTERS };
const value = described(text, `At most ${SETTING_VALUE_MAX_BYTES} bytes of UTF-8.`);
const settingKey = inPath('key', key, 'Percent-encoded.');
const historyOf: Parameter = { ...query('key', key, 'Of this setting, which may have been deleted.'), required: true };
const decrypt = query(
  'decrypt',
  { type: 'string', enum: ['true', 'false'] },
  'In plain text: needs `settings.decrypt`, is recorded, and 60 a minute.',
);
const ifMatch: Parameter = {
  ...query('If-Match', text, 'The `ETag` of the setting that may be changed: 412 for another.'),
  in: 'header',
};
const ifNoneMatch: Parameter = {
  ...query('If-None-Match', { type: 'string', enum: ['*'] }, 'Only creates: 412 if the setting exists.'),
  in: 'header',
};
const version: Schema = { type: 'integer', minimum: 1 };
const ETag = 'Of the setting as it is now.';
const keptVersion = { [KEPT_VERSION_HEADER]: 'The version kept of what it was, if one was.' };
const CHANGED: RouteEntry['responses'] = {
  200: { description: 'Updated.', body: component('Setting'), headers: { ETag, ...keptVersion } },
  201: { description: 'Created.', body: component('Setting'), headers: { Location: 'The new setting.', ETag } },
};

export const SETTINGS_ROUTES: readonly RouteEntry[] = [
  {
    id: 'listSettings',
    method: 'get',
    path: '/api/settings',
    who: 'settings.read',
    tag: 'Settings',
    summary: 'All settings by key, with encrypted values as ciphertext',
    description: 'With one of the last three parameters, one page of them.',
    parameters: [
      query('category', text, 'Only those of this category.'),
      ...PAGING,
      query('key_contains', { type: 'string', maxLength: SETTING_KEY_MAX_CHARACTERS }, 'Text in the key, in any case.'),
    ],
    responses: {
      200: {
        description: 'All of them, streamed; or a page.',
        body: { anyOf: [component('SettingList'), component('SettingPage')] },
      },
    },
    errors: ['bad_request', 'invalid_page_size', 'invalid_page_token'],
    examples: [
      ['/api/settings', 200],
      ['/api/settings?page_size=10&key_contains=a', 200],
      ['/api/settings?page_size=0', 400],
      ['/api/settings?page_token=%20', 400],
      ['/api/settings?category=a&category=b', 400],
    ],
  },
  {
    id: 'putSetting',
    method: 'post',
    path: '/api/settings',
    who: 'settings.write',
    tag: 'Settings',
    summary: 'Create or update a setting',
    description:
      'On update, an absent `encrypted` or `category` keeps the stored one; `category: null` clears it. Upstream keys and secrets of social sign-ins are always encrypted.',
    parameters: [ifMatch, ifNoneMatch, REASON],
    body: objectOf<SettingInput>({ key, value, encrypted: flag, category: orNull(category) }, [
      'encrypted',
      'category',
    ]),
    responses: CHANGED,
    errors: ['bad_request', 'precondition_failed', 'payload_too_large', 'unsupported_media_type'],
    examples: [['/api/settings', 400]],
  },
  {
    id: 'readSetting',
    method: 'get',
    path: '/api/settings/{key}',
    who: 'settings.read',
    tag: 'Settings',
    summary: 'One setting',
    parameters: [settingKey, decrypt],
    responses: {
      200: { description: 'The setting; with its `ETag`, unless in plain text.', body: component('Setting') },
    },
    errors: ['bad_request', 'not_found', 'too_many_requests', 'decryption_failed'],
    examples: [
      ['/api/settings/absent', 404],
      ['/api/settings/absent?decrypt=1', 400],
    ],
  },
  {
    id: 'deleteSetting',
    method: 'delete',
    path: '/api/settings/{key}',
    who: 'settings.write',
    tag: 'Settings',
    summary: 'Delete a setting',
    parameters: [settingKey, ifMatch, REASON],
    responses: { 204: { description: 'The setting is deleted.', headers: keptVersion } },
    errors: ['bad_request', 'not_found', 'precondition_failed'],
    examples: [['/api/settings/absent', 404]],
  },
  {
    id: 'listSettingVersions',
    method: 'get',
    path: '/api/setting-history',
    who: 'settings.read',
    tag: 'Settings',
    summary: 'What a setting was before its changes, newest first',
    description: `At most ${SETTING_VERSIONS_MAX} versions of the last ${SETTING_VERSION_DAYS} days; with \`version\`, that one.`,
    parameters: [historyOf, query('version', version), decrypt],
    responses: { 200: { description: 'The versions.', body: component('SettingHistory') } },
    errors: ['bad_request', 'not_found', 'too_many_requests', 'decryption_failed'],
    examples: [
      ['/api/setting-history?key=absent', 200],
      ['/api/setting-history', 400],
      ['/api/setting-history?key=absent&decrypt=true&version=1', 404],
    ],
  },
  {
    id: 'restoreSetting',
    method: 'post',
    path: '/api/setting-history/restore',
    who: 'settings.write',
    tag: 'Settings',
    summary: 'Store an earlier version of a setting, which may have been deleted',
    description: 'A setting that is encrypted stays so.',
    parameters: [ifMatch, ifNoneMatch, REASON],
    body: objectOf<SettingRestoration>({ key, version }),
    responses: CHANGED,
    errors: ['bad_request', 'not_found', 'precondition_failed', 'decryption_failed'],
    examples: [['/api/setting-history/restore', 400]],
  },
  {
    id: 'forgetSettingVersions',
    method: 'delete',
    path: '/api/setting-history',
    who: 'settings.write',
    tag: 'Settings',
    summary: 'Remove every earlier version of a setting',
    parameters: [historyOf, REASON],
    responses: { 204: { description: 'None is kept any more; the setting stays.' } },
    errors: ['bad_request'],
    examples: [['/api/setting-history', 400]],
  },
  {
    id: 'encrypt',
    method: 'post',
    path: '/api/encrypt',
    who: 'settings.write',
    tag: 'Settings',
    summary: 'Encrypt a value without storing it',
    description:
      'With `key`, the result can be decrypted only as the value of that setting; without it, in no setting.',
    body: objectOf<EncryptInput>({ value, key }, ['key']),
    responses: { 200: { description: 'The ciphertext.', body: objectOf<EncryptResult>({ encrypted: text }) } },
    errors: ['bad_request'],
    examples: [['/api/encrypt', 400]],
  },
  {
    id: 'configuration',
    method: 'get',
    path: '/api/config',
    who: 'configuration.read',
    tag: 'Service',
    summary: 'The effective configuration, without secrets and addresses',
    responses: { 200: { description: 'The configuration in force.', body: component('Configuration') } },
    examples: [['/api/config', 200]],
  },
];
