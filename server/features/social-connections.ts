import type { RequestHandler } from 'express';
import { SOCIAL_ORDER, type SocialProvider, socialSetting } from '../../shared/settings.ts';
import { CipherError } from '../crypto/cipher.ts';

/** Cached settings by key and by prefix, in plain text. */
export interface SocialSettings {
  get(key: string): Promise<{ value: string } | undefined>;
  keys(prefix: string): Promise<readonly string[]>;
}

const CLIENT_ID = /^social\.(.+)\.client_id$/s;

/**
 * The enabled providers that have a client id, in the order of `social.order` (comma-separated names), followed by the
 * others by name. Secrets are not even read.
 */
export async function socialProviders(settings: SocialSettings): Promise<SocialProvider[]> {
  /** Empty if absent or unreadable: one undecryptable provider must not hide the others. */
  async function text(key: string): Promise<string> {
    try {
      return (await settings.get(key))?.value.trim() ?? '';
    } catch (error) {
      if (error instanceof CipherError) return '';
      throw error;
    }
  }

  async function providerOf(key: string): Promise<SocialProvider[]> {
    const provider = CLIENT_ID.exec(key)?.[1];
    if (provider === undefined || (await text(socialSetting(provider, 'enabled'))) !== 'true') return [];
    if ((await text(key)) === '') return [];
    return [
      { provider, display_name: (await text(socialSetting(provider, 'display_name'))) || provider, enabled: true },
    ];
  }

  const keys = await settings.keys('social.');
  const providers = (await Promise.all(keys.map(providerOf))).flat();
  const order = (await text(SOCIAL_ORDER)).split(',').map((name) => name.trim());
  const placeOf = ({ provider }: SocialProvider): number => {
    const place = order.indexOf(provider);
    return place === -1 ? order.length : place;
  };
  // The keys are sorted, and sorting is stable.
  return providers.sort((a, b) => placeOf(a) - placeOf(b));
}

/** `GET /api/connections/social`, public (docs/api.md#routes): read-only, without secrets. */
export const socialConnectionsHandler =
  (settings: SocialSettings): RequestHandler =>
  async (_req, res) => {
    res.json({ providers: await socialProviders(settings) });
  };
