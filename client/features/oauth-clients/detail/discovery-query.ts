import { queryOptions } from '@tanstack/react-query';
import { isObject } from '../../../../shared/json.ts';
import { request } from '../../../api/request.ts';
import { unreadableAnswer } from '../../../api/request-error.ts';
import { oauthPublic } from '../../../api/upstream-api.ts';

/** The parts of the OAuth server's metadata that are used here (OpenID Connect Discovery 1.0, 3). */
export interface Discovery {
  issuer: string;
  authorization_endpoint?: string;
  token_endpoint?: string;
  userinfo_endpoint?: string;
  jwks_uri?: string;
  end_session_endpoint?: string;
  device_authorization_endpoint?: string;
}

const DISCOVERY_FRESH_MS = 5 * 60_000;

export const discoveryQuery = queryOptions({
  queryKey: ['oauth-discovery'],
  queryFn: async ({ signal }) => {
    const body = await request<unknown>(oauthPublic('/.well-known/openid-configuration'), { signal });
    if (isObject(body) && typeof body.issuer === 'string') {
      const texts = Object.entries(body).filter(([, value]) => typeof value === 'string');
      return Object.fromEntries(texts) as unknown as Discovery;
    }
    throw unreadableAnswer('OAuth server', 'its OpenID configuration');
  },
  staleTime: DISCOVERY_FRESH_MS,
  retry: false,
});
