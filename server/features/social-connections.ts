import type { RequestHandler } from 'express';
import { SOCIAL_ORDER, type SocialProvider, socialSetting } from '../../shared/settings.ts';
import { CipherError } from '../crypto/cipher.ts';
import type { CachedSettings } from '../settings/cache.ts';

const CLIENT_ID = /^social\.(.+)\.client_id$/s;

/** The enabled providers with a client id: those in `social.order`, then the others by name. Never reads secrets. */
async function socialProviders(settings: Pick<CachedSettings, 'get' | 'keys'>): Promise<SocialProvider[]> {
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
    const display_name = (await text(socialSetting(provider, 'display_name'))) || provider;
    return [{ provider, display_name, enabled: true }];
  }

  const keys = await settings.keys('social.');
  const providers = (await Promise.all(keys.map(providerOf))).flat();
  const order = (await text(SOCIAL_ORDER)).split(',').map((name) => name.trim());
  const rank = ({ provider }: SocialProvider): number => {
    const position = order.indexOf(provider);
    return position === -1 ? order.length : position;
  };
  // The keys are sorted, and sorting is stable.
  return providers.sort((a, b) => rank(a) - rank(b));
}

/** `GET /api/connections/social`, public (docs/api.md#routes): read-only, without secrets. */
export const socialConnectionsHandler =
  (settings: Pick<CachedSettings, 'get' | 'keys'>): RequestHandler =>
  async (_req, res) => {
    res.json({ providers: await socialProviders(settings) });
  };
