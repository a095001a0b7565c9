import { texts } from '../../../../shared/json.ts';
import type { Config } from '../../../config/config.ts';
import { callbackOf, SCOPES } from '../../../platform/dashboard-client.ts';
import type { AdminClient } from '../../../upstream/admin-client.ts';
import { UpstreamFailure } from '../../../upstream/upstream-failure.ts';
import { upstreamFetch } from '../../../upstream/upstream-fetch.ts';
import { causeOf, OAUTH_ADMIN, ofOperators } from './admin-api.ts';
import { type Check, type Finding, fail, gravest, lockOut, pass, unknown, warn } from './check.ts';

const TIMEOUT_MS = 4_000;
const SETUP = 'node dist/server/main.js setup --yes';
const WARN_SECONDS = 5;
const FAIL_SECONDS = 60;

/**
 * How this dashboard is registered at the OAuth server, and whether the two clocks agree.
 * @param client of the OAuth server's admin API
 * @param now milliseconds since the epoch
 */
export const oauthChecks = (
  config: Pick<Config, 'auth' | 'baseUrl'>,
  client: AdminClient,
  now: () => number,
): Check[] => [
  {
    id: 'oauth_client',
    title: 'The dashboard’s OAuth client',
    why: 'A client with other redirect URIs, or with an unused secret, gives an attacker another way to the authorization code.',
    look: async () => {
      const api = ofOperators(config.auth.oauthAdmin, OAUTH_ADMIN);
      const path = `/admin/clients/${encodeURIComponent(config.auth.clientId)}`;
      try {
        const { body } = await client.get(path, {}, { timeoutMs: TIMEOUT_MS });
        return gravest(
          deviations(body as OAuthClient, callbackOf(config.baseUrl)),
          pass('It is configured correctly.'),
        );
      } catch (error) {
        if (!(error instanceof UpstreamFailure)) throw error;
        if (error.answer?.status === 404)
          return lockOut(
            'The OAuth server’s admin API does not know the client.',
            `Create it, or compare OAUTH_CLIENT_ID and ${api.urlVariable} with that server.`,
            SETUP,
          );
        const [detail, action] = causeOf(error, api);
        // What is wrong with a key is said there.
        const isSaid = error.kind === 'refuses_key' || error.kind === 'key_unreadable';
        return unknown(
          isSaid ? `Not checked, for want of a key that ${OAUTH_ADMIN} accepts.` : detail,
          isSaid ? 'See “API keys of the services”.' : `${action} Or compare the client with docs/operations.md.`,
        );
      }
    },
  },
  {
    id: 'clock',
    title: 'Clock',
    why: 'This machine’s clock decides when sessions expire and dates the audit records.',
    look: async () => {
      const began = now();
      const url = `${config.auth.internalUrl}/.well-known/openid-configuration`;
      const answer = await upstreamFetch(url, { timeoutMs: TIMEOUT_MS }).catch(() => undefined);
      if (answer === undefined) return unknown('The OAuth server does not respond.', 'See “The OAuth 2.0 server”.');
      const serverTime = Date.parse(answer.headers.date ?? '');
      if (Number.isNaN(serverTime))
        return unknown('The OAuth server does not report its time.', 'Compare the clocks manually.');
      // The header is truncated to the second and was written at some point between request and response.
      const seconds = Math.round(Math.abs((began + now()) / 2 - serverTime - 500) / 1000);
      const detail = `This clock and the OAuth server’s differ by ${seconds} s.`;
      const action = 'Synchronise both clocks with NTP.';
      if (seconds > FAIL_SECONDS) return fail(detail, action);
      return seconds > WARN_SECONDS ? warn(detail, action) : pass(detail);
    },
  },
];

interface OAuthClient {
  token_endpoint_auth_method?: unknown;
  redirect_uris?: unknown;
  grant_types?: unknown;
  response_types?: unknown;
  scope?: unknown;
  userinfo_signed_response_alg?: unknown;
}

/** If something is missing, sign-in fails; anything beyond what it needs is a way in. */
function deviations(client: OAuthClient, callback: string): Finding[] {
  const redirects = texts(client.redirect_uris);
  const grants = texts(client.grant_types);
  const scopes = String(client.scope ?? '').split(' ');
  const missing = SCOPES.filter((scope) => !scopes.includes(scope));
  const rules: [broken: boolean, finding: Finding][] = [
    [
      client.token_endpoint_auth_method !== 'none',
      lockOut('It is not a public client.', 'Set token_endpoint_auth_method to none.'),
    ],
    [
      !redirects.includes(callback),
      lockOut('It must not redirect to this dashboard.', 'Add BASE_URL/api/auth/callback to redirect_uris.'),
    ],
    [
      redirects.some((uri) => uri !== callback),
      warn('It may also redirect to other addresses.', 'Leave only BASE_URL/api/auth/callback in redirect_uris.'),
    ],
    [
      !grants.includes('authorization_code'),
      lockOut('It is not allowed to use authorization codes.', 'Set grant_types to authorization_code.'),
    ],
    [
      grants.some((grant) => grant !== 'authorization_code'),
      warn('It may use grants other than authorization codes.', 'Set grant_types to authorization_code only.'),
    ],
    [
      texts(client.response_types).join() !== 'code',
      warn('It may request response types other than code.', 'Set response_types to code only.'),
    ],
    [missing.length > 0, lockOut(`It lacks ${missing.join(' and ')}.`, `Set scope to ${SCOPES.join(' ')}.`)],
    [
      !['none', '', undefined].some((alg) => alg === client.userinfo_signed_response_alg),
      lockOut(
        'Its userinfo responses are signed, which the dashboard cannot read.',
        'Set userinfo_signed_response_alg to none.',
      ),
    ],
  ];
  return rules.filter(([broken]) => broken).map(([, finding]) => finding);
}
