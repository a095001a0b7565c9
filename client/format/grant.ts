export const DEVICE_GRANT = 'urn:ietf:params:oauth:grant-type:device_code';
export const JWT_BEARER_GRANT = 'urn:ietf:params:oauth:grant-type:jwt-bearer';

const GRANTS: Record<string, string> = {
  authorization_code: 'Authorization code',
  refresh_token: 'Refresh token',
  client_credentials: 'Client credentials',
  implicit: 'Implicit',
  password: 'Password',
  [DEVICE_GRANT]: 'Device code',
  [JWT_BEARER_GRANT]: 'JWT bearer',
};

/** A grant type in words; one that is not known, as it is. */
export const formatGrant = (grant: string): string => (Object.hasOwn(GRANTS, grant) ? (GRANTS[grant] ?? grant) : grant);
