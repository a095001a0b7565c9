import { text } from '../../../shared/json.ts';
import type { OauthClient } from '../../api/oauth-clients.ts';
import { formatSeconds } from '../../lib/format-time.ts';

const AUTH_METHODS = new Map([
  ['client_secret_basic', 'Secret, in a header'],
  ['client_secret_post', 'Secret, in the form'],
  ['private_key_jwt', 'Private key JWT'],
  ['none', 'None: a public client'],
]);

export const formatAuthMethod = (method: string): string => AUTH_METHODS.get(method) ?? (method || 'unknown');

export const clientName = (client: OauthClient): string => text(client.client_name) || client.client_id;

/** Whether a client with this authentication method has a secret. Hydra assumes `client_secret_basic` by default. */
export const usesSecret = (method: unknown): boolean =>
  method === 'client_secret_basic' || method === 'client_secret_post' || method === '' || method === undefined;

/** Whether operators sign in to this dashboard with this client. */
export const isOwnClient = (redirectUris: readonly string[], origin: string = location.origin): boolean =>
  redirectUris.includes(`${origin}/api/auth/callback`);

const AMOUNTS = /(\d+(?:\.\d+)?)(ns|us|µs|ms|s|m|h)/g;
const DURATION = /^(?:\d+(?:\.\d+)?(?:ns|us|µs|ms|s|m|h))+$/;
const SECONDS: Record<string, number> = { ns: 1e-9, us: 1e-6, µs: 1e-6, ms: 1e-3, s: 1, m: 60, h: 3_600 };

/** The seconds of a Go duration such as `1h30m0s`; undefined for any other text, including negative durations. */
export function goSeconds(text: string): number | undefined {
  if (text === '0') return 0;
  if (!DURATION.test(text)) return undefined;
  return [...text.matchAll(AMOUNTS)].reduce(
    (sum, [, amount, unit = '']) => sum + Number(amount) * (SECONDS[unit] ?? 0),
    0,
  );
}

/** “30 days”, “1 hour 30 minutes”; other text is returned unchanged. */
export function formatDuration(text: string): string {
  const seconds = goSeconds(text);
  return seconds === undefined ? text : formatSeconds(seconds);
}
