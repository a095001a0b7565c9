import { apiKeySetting, UPSTREAM_NAMES } from '../../../shared/upstreams.ts';

export interface KnownKey {
  about: string;
  /** Sent in a header: visible ASCII characters without spaces, or every request that uses it fails. */
  bearer?: true;
}

const SOCIAL: ReadonlyMap<string, KnownKey> = new Map(
  Object.entries({
    client_id: { about: 'The client id issued by this social provider. Without it the provider is not offered.' },
    client_secret: { about: 'The client secret issued by this social provider.' },
    enabled: { about: 'Whether people may sign in through this social provider: true or false.' },
    display_name: { about: 'How the sign-in page names this social provider.' },
    scopes: { about: 'The scopes requested from this social provider, separated by spaces.' },
  }),
);

/** What a key means to the dashboard itself; undefined for all others. */
export function knownKey(key: string): KnownKey | undefined {
  const upstream = UPSTREAM_NAMES.find((name) => apiKeySetting(name) === key);
  if (upstream !== undefined) {
    return {
      about: `The bearer key sent with every request under /api/${upstream}, always stored encrypted. A wrong one for the operators' own store keeps everyone from signing in.`,
      bearer: true,
    };
  }
  if (key === 'social.order') {
    return { about: 'The order in which social providers are offered: their names, separated by commas.' };
  }
  const field = /^social\.[^.]+\.([^.]+)$/.exec(key)?.[1];
  return field === undefined ? undefined : SOCIAL.get(field);
}

/** While a key of a known family is being typed: how it may continue. */
export function knownFamily(key: string): string | undefined {
  if (key.startsWith('upstream.'))
    return `Known keys: upstream.<prefix>.api_key, with the prefix ${UPSTREAM_NAMES.join(', ')}.`;
  if (key.startsWith('social.'))
    return `Known keys: social.order, and social.<provider>. with ${[...SOCIAL.keys()].join(', ')}.`;
  return undefined;
}
