import { isFronted, isLoopbackAddress, isLoopbackHost, networkTest } from '../lib/networks.ts';
import type { Config } from './config.ts';
import { looksLikePlaceholder } from './placeholder-key.ts';

/** Something the current configuration leaves exposed, guessable or cut off. */
export interface Exposure {
  /** The environment variable that fixes it. */
  variable: string;
  /** What it means; names no value. */
  text: string;
}

/** The notice at startup if PROXY_REQUIRE_SESSION is not set. */
export function sessionRuleNotice({ proxyRequireSession, proxyRequireSessionIsSet }: Config): Exposure | undefined {
  if (proxyRequireSessionIsSet) return undefined;
  const holds =
    proxyRequireSession === 'always'
      ? 'true: every caller of the admin proxies needs an admin session. Set it to outside to admit loopback and private networks without one'
      : 'outside: the admin proxies serve loopback and private networks without a session. Set it to true to require one from every caller';
  return { variable: 'PROXY_REQUIRE_SESSION', text: `is not set and defaults to ${holds}` };
}

/** Warnings that the service logs at startup, so that nothing is exposed silently. */
export function exposures(config: Config): Exposure[] {
  const found: Exposure[] = [];
  const say = (variable: string, text: string): void => void found.push({ variable, text });
  const { auth, sessionKeys, encryptionKeys } = config;

  if (auth.operatorSchemaIds === undefined)
    say('OPERATOR_SCHEMA_IDS', 'is unset: an identity of any schema may sign in if it has a role');
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
    if (key !== undefined && looksLikePlaceholder(key)) say(name, 'looks like a placeholder: generate a random one');
  const { key, upstream, keyVariable, url } = auth.store;
  if (url !== undefined && key === undefined && upstream === undefined)
    say(
      keyVariable,
      'is not set: requests to the operators’ store carry no key, since none of the stored ones is for it',
    );
  const isReached = !isLoopbackAddress(config.host) || isFronted(config);
  if (config.proxyRequireSession === 'never' && (isReached || config.production))
    say(
      'PROXY_REQUIRE_SESSION',
      'is false: without a session, everyone who can reach the port can read and change every identity and every OAuth client',
    );
  else if (config.proxyRequireSession === 'outside' && isReached)
    say('PROXY_REQUIRE_SESSION', 'is outside: the admin proxies serve everyone on loopback and private networks');
  const { allowedNetworks, metrics } = config;
  if (allowedNetworks !== undefined && metrics === undefined && !networkTest(allowedNetworks)('127.0.0.1'))
    say(
      'ALLOWED_NETWORKS',
      'leaves out loopback: a health check on this machine, such as that of the image, is cut off. Add 127.0.0.1, or set METRICS_PORT, which answers it too',
    );
  return found;
}
