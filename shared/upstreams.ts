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

/** The setting that holds the bearer key of an upstream; it is always stored encrypted. */
export const apiKeySetting = (name: UpstreamName): string => `upstream.${name}.api_key`;
