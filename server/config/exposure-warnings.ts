import { isFronted, isLoopbackAddress, isLoopbackHost } from '../lib/networks.ts';
import type { Config } from './config.ts';
import { looksLikePlaceholder } from './placeholder-key.ts';

/** Something that stands open, or may be guessed, by the present configuration. */
export interface ExposureWarning {
  /** The environment variable that closes it. */
  variable: string;
  /** What it means; names no value. */
  text: string;
}

/** What the start says of a rule for the admin proxies that nobody has set. */
export function proxyRuleNotice({
  proxyRequireSession,
  proxyRequireSessionIsSet,
}: Config): ExposureWarning | undefined {
  if (proxyRequireSessionIsSet) return undefined;
  const holds =
    proxyRequireSession === 'always'
      ? 'true: every caller of the admin proxies needs an admin session. Set it to outside to let loopback and private networks in without one, as before'
      : 'outside: the admin proxies serve loopback and private networks without a session. Set it to true to ask everybody for one';
  return { variable: 'PROXY_REQUIRE_SESSION', text: `is not set and holds as ${holds}` };
}

/** What the service says once each when it starts: nothing stands open in silence. */
export function exposureWarnings(config: Config): ExposureWarning[] {
  const found: ExposureWarning[] = [];
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
  if ((!isLoopbackAddress(config.host) || isFronted(config)) && config.proxyRequireSession !== 'always')
    say(
      'PROXY_REQUIRE_SESSION',
      config.proxyRequireSession === 'never'
        ? 'is false: the admin proxies serve everybody who reaches the port'
        : 'is outside: the admin proxies serve everybody on loopback and private networks',
    );
  return found;
}
