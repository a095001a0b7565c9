import type { OauthClient } from '../../../api/oauth-client-record.ts';
import { listMember, textMember } from '../client-words.ts';

const LOOPBACK = new Set(['localhost', '127.0.0.1', '[::1]']);

/** What is worth a second look in a client that works: one sentence each. */
export function adviceOn(client: OauthClient): string[] {
  const grants = listMember(client, 'grant_types');
  const scope = textMember(client, 'scope').split(' ');
  const advice: string[] = [];
  if (
    grants.includes('implicit') ||
    listMember(client, 'response_types').some((type) => /\b(?:id_)?token\b/.test(type))
  )
    advice.push(
      'The implicit grant hands out tokens in the address bar. The authorization code with PKCE replaces it.',
    );
  if (grants.includes('password')) advice.push('With the password grant the application sees the passwords of people.');
  if (client.token_endpoint_auth_method === 'none' && grants.includes('client_credentials'))
    advice.push('Client credentials need a secret or a key: as a public client it gets no such token.');
  if (grants.includes('refresh_token') && !scope.includes('offline_access') && !scope.includes('offline'))
    advice.push('Refresh tokens are issued with the scope offline_access only, which it may not ask for.');
  if (grants.includes('authorization_code') && listMember(client, 'redirect_uris').length === 0)
    advice.push('It has no redirect address, so no sign-in can end.');
  for (const address of listMember(client, 'redirect_uris')) {
    if (!URL.canParse(address)) advice.push(`${address} is not an absolute address: no sign-in can end there.`);
    else if (address.includes('*'))
      advice.push(`${address} contains a *, which is taken literally: there are no wildcards.`);
    else if (isOpenHttp(new URL(address))) advice.push(`${address} is not encrypted: codes can be read in transit.`);
  }
  return advice;
}

const isOpenHttp = ({ protocol, hostname }: URL): boolean => protocol === 'http:' && !LOOPBACK.has(hostname);
