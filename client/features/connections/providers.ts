import {
  isProviderName,
  type Setting,
  SOCIAL_FIELDS,
  SOCIAL_ORDER,
  type SocialField,
} from '../../../shared/settings.ts';
import {
  IconBrandApple,
  IconBrandDiscord,
  IconBrandFacebook,
  IconBrandGithub,
  IconBrandGitlab,
  IconBrandGoogle,
  IconBrandLinkedin,
  IconBrandSlack,
  IconBrandSpotify,
  IconBrandTwitch,
  IconBrandWindows,
  IconBrandX,
  IconWorld,
} from '../../ui/icons.tsx';
import type { Icon } from '../../ui/shell-icons.tsx';

interface KnownProvider {
  displayName: string;
  /** The scopes that a login usually needs. */
  scopes: string;
  icon: Icon;
}

/** Keyed by the identity service's provider names. */
export const KNOWN_PROVIDERS: ReadonlyMap<string, KnownProvider> = new Map([
  ['google', { displayName: 'Google', scopes: 'openid email profile', icon: IconBrandGoogle }],
  ['microsoft', { displayName: 'Microsoft', scopes: 'openid email profile', icon: IconBrandWindows }],
  ['apple', { displayName: 'Apple', scopes: 'openid email name', icon: IconBrandApple }],
  ['github', { displayName: 'GitHub', scopes: 'user:email', icon: IconBrandGithub }],
  ['gitlab', { displayName: 'GitLab', scopes: 'openid email profile', icon: IconBrandGitlab }],
  ['facebook', { displayName: 'Facebook', scopes: 'email public_profile', icon: IconBrandFacebook }],
  ['linkedin', { displayName: 'LinkedIn', scopes: 'openid email profile', icon: IconBrandLinkedin }],
  ['slack', { displayName: 'Slack', scopes: 'openid email profile', icon: IconBrandSlack }],
  ['discord', { displayName: 'Discord', scopes: 'identify email', icon: IconBrandDiscord }],
  ['spotify', { displayName: 'Spotify', scopes: 'user-read-email', icon: IconBrandSpotify }],
  ['twitch', { displayName: 'Twitch', scopes: 'openid user:read:email', icon: IconBrandTwitch }],
  ['x', { displayName: 'X', scopes: 'users.read users.email', icon: IconBrandX }],
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
