import { isLoopbackHost } from '../networks.ts';
import { looksLikePlaceholder } from '../placeholder-key.ts';
import type { Config } from './config.ts';

/** Something that stands open, or may be guessed, by the present configuration. */
export interface Opening {
  /** The environment variable that closes it. */
  variable: string;
  /** What it means; names no value. */
  text: string;
}

const isLoopback = (host: string): boolean => isLoopbackHost(host) || host === '::1';

/** What the service says once each when it starts: nothing stands open in silence. */
export function openings(config: Config): Opening[] {
  const found: Opening[] = [];
  const say = (variable: string, text: string): void => void found.push({ variable, text });
  const { auth, sessionKeys, encryptionKeys } = config;

  if (auth.operatorSchemaIds === undefined)
    say('OPERATOR_SCHEMA_IDS', 'is unset: an identity of any schema may sign in if its traits name a role');
  const authUrl = new URL(auth.url);
  if (authUrl.protocol === 'http:' && !isLoopbackHost(authUrl.hostname))
    say('AUTH_URL', 'is plain http: authorization codes cross the network unprotected');
  const keys: [string, string | undefined][] = [
    ['SESSION_SIGNING_KEY', sessionKeys.current],
    ['ENCRYPTION_KEY', encryptionKeys.current],
    ['SESSION_SIGNING_KEY_PREVIOUS', sessionKeys.previous],
    ['ENCRYPTION_KEY_PREVIOUS', encryptionKeys.previous],
  ];
  for (const [name, key] of keys)
    if (key !== undefined && looksLikePlaceholder(key)) say(name, 'looks like a placeholder: make a random one');
  if (!isLoopback(config.host) && config.proxyRequireSession !== 'always')
    say(
      'PROXY_REQUIRE_SESSION',
      config.proxyRequireSession === 'never'
        ? 'is false: the admin proxies serve everybody who reaches the port'
        : 'is outside: the admin proxies serve everybody on loopback and private networks',
    );
  return found;
}
