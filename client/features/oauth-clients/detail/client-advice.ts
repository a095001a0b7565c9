import type { OauthClient } from '../../../api/oauth-client-record.ts';
import { listMember, textMember } from '../client-members.ts';

const LOOPBACK = new Set(['localhost', '127.0.0.1', '[::1]']);

/** Recommendations for a client that works: one sentence each. */
export function adviceOn(client: OauthClient): string[] {
  const grants = listMember(client, 'grant_types');
  const scope = textMember(client, 'scope').split(' ');
  const advice: string[] = [];
  if (
    grants.includes('implicit') ||
    listMember(client, 'response_types').some((type) => /\b(?:id_)?token\b/.test(type))
  )
    advice.push(
      'The implicit grant exposes tokens in the address bar. Use the authorization code grant with PKCE instead.',
    );
  if (grants.includes('password')) advice.push('With the password grant, the application sees people’s passwords.');
  if (client.token_endpoint_auth_method === 'none' && grants.includes('client_credentials'))
    advice.push('The client credentials grant needs a secret or a key, which a public client does not have.');
  if (grants.includes('refresh_token') && !scope.includes('offline_access') && !scope.includes('offline'))
    advice.push('Refresh tokens are issued only with the scope offline_access, which it may not request.');
  if (grants.includes('authorization_code') && listMember(client, 'redirect_uris').length === 0)
    advice.push('It has no redirect address, so sign-ins cannot complete.');
  for (const address of listMember(client, 'redirect_uris')) {
    if (!URL.canParse(address)) advice.push(`${address} is not an absolute URL, so sign-ins cannot return there.`);
    else if (address.includes('*'))
      advice.push(`${address} contains a *, which is taken literally; wildcards are not supported.`);
    else if (isOpenHttp(new URL(address))) advice.push(`${address} is not encrypted, so codes can be read in transit.`);
  }
  return advice;
}

const isOpenHttp = ({ protocol, hostname }: URL): boolean => protocol === 'http:' && !LOOPBACK.has(hostname);
