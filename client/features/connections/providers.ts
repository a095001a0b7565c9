import {
  isProviderName,
  type Setting,
  SOCIAL_FIELDS,
  SOCIAL_ORDER,
  type SocialField,
} from '../../../shared/settings.ts';
import { IconWorld } from '../../ui/icons.tsx';
import { createIcon, type Icon } from '../../ui/shell-icons.tsx';

interface KnownProvider {
  displayName: string;
  /** The scopes that a login usually needs. */
  scopes: string;
  icon: Icon;
}

/** Keyed by the identity service's provider names. */
// biome-ignore format: one line per provider
export const KNOWN_PROVIDERS: ReadonlyMap<string, KnownProvider> = new Map([
  ['google', { displayName: 'Google', scopes: 'openid email profile', icon: createIcon('M20.945 11a9 9 0 1 1 -3.284 -5.997l-2.655 2.392a5.5 5.5 0 1 0 2.119 6.605h-4.125v-3h7.945') }],
  ['microsoft', { displayName: 'Microsoft', scopes: 'openid email profile', icon: createIcon('M17.8 20l-12 -1.5c-1 -.1 -1.8 -.9 -1.8 -1.9v-9.2c0 -1 .8 -1.8 1.8 -1.9l12 -1.5c1.2 -.1 2.2 .8 2.2 1.9v12.1c0 1.2 -1.1 2.1 -2.2 1.9v.1M12 5v14M4 12h16') }],
  ['apple', { displayName: 'Apple', scopes: 'openid email name', icon: createIcon('M8.286 7.008c-3.216 0 -4.286 3.23 -4.286 5.92c0 3.229 2.143 8.072 4.286 8.072c1.165 -.05 1.799 -.538 3.214 -.538c1.406 0 1.607 .538 3.214 .538s4.286 -3.229 4.286 -5.381c-.03 -.011 -2.649 -.434 -2.679 -3.23c-.02 -2.335 2.589 -3.179 2.679 -3.228c-1.096 -1.606 -3.162 -2.113 -3.75 -2.153c-1.535 -.12 -3.032 1.077 -3.75 1.077c-.729 0 -2.036 -1.077 -3.214 -1.077M12 4a2 2 0 0 0 2 -2a2 2 0 0 0 -2 2') }],
  ['github', { displayName: 'GitHub', scopes: 'user:email', icon: createIcon('M9 19c-4.3 1.4 -4.3 -2.5 -6 -3m12 5v-3.5c0 -1 .1 -1.4 -.5 -2c2.8 -.3 5.5 -1.4 5.5 -6a4.6 4.6 0 0 0 -1.3 -3.2a4.2 4.2 0 0 0 -.1 -3.2s-1.1 -.3 -3.5 1.3a12.3 12.3 0 0 0 -6.2 0c-2.4 -1.6 -3.5 -1.3 -3.5 -1.3a4.2 4.2 0 0 0 -.1 3.2a4.6 4.6 0 0 0 -1.3 3.2c0 4.6 2.7 5.7 5.5 6c-.6 .6 -.6 1.2 -.5 2v3.5') }],
  ['gitlab', { displayName: 'GitLab', scopes: 'openid email profile', icon: createIcon('M21 14l-9 7l-9 -7l3 -11l3 7h6l3 -7l3 11') }],
  ['facebook', { displayName: 'Facebook', scopes: 'email public_profile', icon: createIcon('M7 10v4h3v7h4v-7h3l1 -4h-4v-2a1 1 0 0 1 1 -1h3v-4h-3a5 5 0 0 0 -5 5v2h-3') }],
  ['linkedin', { displayName: 'LinkedIn', scopes: 'openid email profile', icon: createIcon('M8 11v5M8 8v.01M12 16v-5M16 16v-3a2 2 0 1 0 -4 0M3 7a4 4 0 0 1 4 -4h10a4 4 0 0 1 4 4v10a4 4 0 0 1 -4 4h-10a4 4 0 0 1 -4 -4v-10') }],
  ['slack', { displayName: 'Slack', scopes: 'openid email profile', icon: createIcon('M12 12v-6a2 2 0 0 1 4 0v6m0 -2a2 2 0 1 1 2 2h-6M12 12h6a2 2 0 0 1 0 4h-6m2 0a2 2 0 1 1 -2 2v-6M12 12v6a2 2 0 0 1 -4 0v-6m0 2a2 2 0 1 1 -2 -2h6M12 12h-6a2 2 0 0 1 0 -4h6m-2 0a2 2 0 1 1 2 -2v6') }],
  ['discord', { displayName: 'Discord', scopes: 'identify email', icon: createIcon('M8 12a1 1 0 1 0 2 0a1 1 0 0 0 -2 0M14 12a1 1 0 1 0 2 0a1 1 0 0 0 -2 0M15.5 17c0 1 1.5 3 2 3c1.5 0 2.833 -1.667 3.5 -3c.667 -1.667 .5 -5.833 -1.5 -11.5c-1.457 -1.015 -3 -1.34 -4.5 -1.5l-.972 1.923a11.913 11.913 0 0 0 -4.053 0l-.975 -1.923c-1.5 .16 -3.043 .485 -4.5 1.5c-2 5.667 -2.167 9.833 -1.5 11.5c.667 1.333 2 3 3.5 3c.5 0 2 -2 2 -3M7 16.5c3.5 1 6.5 1 10 0') }],
  ['spotify', { displayName: 'Spotify', scopes: 'user-read-email', icon: createIcon('M3 12a9 9 0 1 0 18 0a9 9 0 1 0 -18 0M8 11.973c2.5 -1.473 5.5 -.973 7.5 .527M9 15c1.5 -1 4 -1 5 .5M7 9c2 -1 6 -2 10 .5') }],
  ['twitch', { displayName: 'Twitch', scopes: 'openid user:read:email', icon: createIcon('M4 5v11a1 1 0 0 0 1 1h2v4l4 -4h5.584c.266 0 .52 -.105 .707 -.293l2.415 -2.414c.187 -.188 .293 -.442 .293 -.708v-8.585a1 1 0 0 0 -1 -1h-14a1 1 0 0 0 -1 1h.001M16 8v4M12 8v4') }],
  ['x', { displayName: 'X', scopes: 'users.read users.email', icon: createIcon('M4 4l11.733 16h4.267l-11.733 -16h-4.267M4 20l6.768 -6.768m2.46 -2.46l6.772 -6.772') }],
]);

export const providerIcon = (name: string): KnownProvider['icon'] => KNOWN_PROVIDERS.get(name)?.icon ?? IconWorld;

export const providerTitle = ({ name, displayName }: { name: string; displayName: string }): string =>
  displayName || (KNOWN_PROVIDERS.get(name)?.displayName ?? name);

export interface StoredProvider {
  name: string;
  stored: ReadonlySet<SocialField>;
  /** Empty if the client id is not stored or is encrypted. */
  clientId: string;
  displayName: string;
  scopes: string;
  enabled: boolean;
}

const KEY = /^social\.(.+)\.([a-z_]+)$/s;

/** The stored order, including names whose provider no longer exists. */
export function storedOrder(settings: readonly Setting[]): string[] {
  const value = settings.find(({ key }) => key === SOCIAL_ORDER)?.value ?? '';
  return [...new Set(value.split(',').map((name) => name.trim()))].filter((name) => name !== '');
}

/** Providers in the order of the login pages: the stored order, then by name. */
export function storedProviders(settings: readonly Setting[]): StoredProvider[] {
  const fields = new Map<string, Map<SocialField, string>>();
  for (const { key, value, encrypted } of settings) {
    const [, name = '', member] = KEY.exec(key) ?? [];
    const field = SOCIAL_FIELDS.find((known) => known === member);
    if (field === undefined || !isProviderName(name)) continue;
    fields.set(name, (fields.get(name) ?? new Map()).set(field, encrypted ? '' : value.trim()));
  }
  const order = storedOrder(settings);
  const rankOf = (name: string): number => (order.includes(name) ? order.indexOf(name) : order.length);
  return [...fields.entries()]
    .map(
      ([name, values]): StoredProvider => ({
        name,
        stored: new Set(values.keys()),
        clientId: values.get('client_id') ?? '',
        displayName: values.get('display_name') ?? '',
        scopes: values.get('scopes') ?? '',
        enabled: values.get('enabled') === 'true',
      }),
    )
    .sort((a, b) => rankOf(a.name) - rankOf(b.name) || (a.name < b.name ? -1 : 1));
}

/** Why a provider cannot be enabled; undefined if it can. */
export function missing({ stored }: StoredProvider): string | undefined {
  if (!stored.has('client_id')) return 'It has no client ID yet.';
  return stored.has('client_secret') ? undefined : 'It has no client secret yet.';
}
