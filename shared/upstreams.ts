/** The six proxied APIs; `/api/<name>/**` reaches the upstream of that name. */
export const UPSTREAM_NAMES = [
  'identity',
  'identity-admin',
  'iam-identity',
  'iam-identity-admin',
  'oauth',
  'oauth-admin',
] as const;
export type UpstreamName = (typeof UPSTREAM_NAMES)[number];

/** Whether a text can be sent as a bearer key: 1 to 4,096 visible ASCII characters. */
export const isBearerKey = (text: string): boolean => /^[\x21-\x7e]{1,4096}$/.test(text);

/** The setting that holds the bearer key of an upstream; it is always stored encrypted. */
export const apiKeySetting = (name: UpstreamName): string => `upstream.${name}.api_key`;
