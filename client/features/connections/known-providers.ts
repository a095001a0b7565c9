import { IconWorld } from '../../resource/icons.ts';
import type { Icon } from '../../ui/icon.tsx';
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
} from './provider-icons.ts';

interface KnownProvider {
  displayName: string;
  /** The scopes that a login usually requests. */
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
