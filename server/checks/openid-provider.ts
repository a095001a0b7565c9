import { text, texts } from '../../shared/json.ts';
import { OPERATOR_DAYS, OPERATORS_MAX } from '../../shared/security.ts';
import { SIGNED_OUT_PATH } from '../../shared/session.ts';
import { discoveryAddress } from '../../shared/upstreams.ts';
import { type Config, EMAIL_CLAIM, type OpenidProvider } from '../config/config.ts';
import { metadataProblem } from '../features/auth/openid-provider.ts';
import { callbackOf } from '../registration.ts';
import { type CheckSources, type Checks, critical, DAY_MS, type Finding, pass, unknown, warn, worst } from './check.ts';
import { API_TIMEOUT_MS, jsonIn, responseFrom, unusable } from './upstreams.ts';

/** Checks the provider's discovery document by the rules of the sign-in. */
export async function openidProvider({ issuer, signsOut }: OpenidProvider): Promise<Finding> {
  const response = await responseFrom(discoveryAddress(issuer), {}, API_TIMEOUT_MS);
  if (response.status !== 200)
    return unusable(
      'Its discovery document cannot be read at AUTH_ISSUER',
      response,
      'Correct AUTH_ISSUER, or start that provider.',
    );
  const metadata = jsonIn(response);
  const found = text(metadata['issuer']);
  if (found === '') return critical('AUTH_ISSUER is not the address of an OpenID provider.', 'Correct AUTH_ISSUER.');
  const problem = metadataProblem(metadata, issuer);
  if (problem === 'issuer')
    return critical(
      'The issuer of the provider is not AUTH_ISSUER.',
      'Set AUTH_ISSUER to the issuer in its discovery document, character by character: a slash at its end counts.',
      ...(/^[\x21-\x7e]+$/.test(found) ? [`AUTH_ISSUER=${found}`] : []),
    );
  if (problem === 'pkce') return critical('The provider does not support PKCE with S256.', 'Enable it there.');
  if (problem !== undefined)
    return critical(`Its ${problem} is missing or not https.`, 'Correct the configuration of the provider.');
  const { response_types_supported: types, code_challenge_methods_supported: methods } = metadata;
  return worst([
    pass('It responds, AUTH_ISSUER is its issuer, and it supports PKCE with S256.'),
    types !== undefined &&
      !texts(types).includes('code') &&
      critical('The provider does not support the authorization code flow.', 'Enable the response type code there.'),
    signsOut &&
      metadata['end_session_endpoint'] === undefined &&
      warn(
        'The provider has no address for signing out, so that its session continues.',
        'Set OAUTH_SIGN_OUT=local, or enable the end_session_endpoint of the provider.',
      ),
    methods === undefined &&
      unknown(
        'It responds, and AUTH_ISSUER is its issuer. It does not say whether it supports PKCE with S256.',
        'See its documentation. Entra ID supports it.',
      ),
  ]);
}

/** What the dashboard's client at the provider needs. For a terminal only, since it contains addresses. */
export function registration({ auth, baseUrl }: Pick<Config, 'auth' | 'baseUrl'>, provider: OpenidProvider): string[] {
  const { operators } = auth;
  const byIdentity = operators.from === 'identity';
  const role = operators.from === 'claims' ? operators.roleClaim : EMAIL_CLAIM;
  const claims = [
    byIdentity && 'sub (the id of an identity)',
    'email',
    !byIdentity && role === EMAIL_CLAIM && !operators.emailVerifiedAssumed && 'email_verified',
    role !== EMAIL_CLAIM && role,
  ];
  return [
    `Redirect address: ${callbackOf(baseUrl)}`,
    ...(provider.signsOut ? [`Sign-out address: ${baseUrl}${SIGNED_OUT_PATH}`] : []),
    `Client: ${provider.clientSecret === undefined ? 'public' : 'confidential (client secret)'}, authorization code with PKCE (S256)`,
    `Scopes: ${provider.scope}`,
    `Claims: ${claims.filter(Boolean).join(', ')}`,
  ];
}

const BY = {
  identity: 'By identity: the provider names the id of an identity in the operators’ store.',
  email: 'By verified e-mail address: it names an identity in the operators’ store.',
  claims: 'By the provider’s claims, whose values OPERATOR_ROLE_VALUES lists.',
};

type OperatorSources = Pick<CheckSources, 'config' | 'auditSearch' | 'claimsOperators' | 'clock'>;

/** Checks who is an operator through an OpenID provider. None without one. */
export function providerOperatorChecks(sources: OperatorSources) {
  const { provider, operators } = sources.config.auth;
  const openid = provider.kind === 'openid' ? provider : undefined;
  return {
    operators_from: openid && {
      title: 'Where operators come from',
      why: 'Whoever decides there who is an operator can make themselves an administrator of this dashboard.',
      look: () =>
        operators.emailVerifiedAssumed
          ? warn(
              `${BY[operators.from]} An address counts as verified if the provider does not say whether it is.`,
              'Have the provider send email_verified (Entra ID: xms_edov), and unset OPERATOR_EMAIL_VERIFIED.',
            )
          : pass(BY[operators.from]),
    },
    operator_roles: openid && {
      title: 'Sign-ins with each role',
      why: 'A wrong group or value gives nobody the role, or the wrong people.',
      needs: 'tables',
      look: async () => {
        const logins = await recentLogins(sources, openid.issuer);
        const roles = operators.from === 'claims' ? [...operators.roleValues.keys()] : sources.config.auth.roles;
        const lastOf = (role: string) => logins.find(({ details }) => details['role'] === role)?.timestamp.slice(0, 10);
        const detail = `Last sign-ins: ${roles.map((role) => `${role} ${lastOf(role) ?? 'none'}`).join(', ')}.`;
        return roles.every(lastOf)
          ? pass(detail)
          : unknown(
              `${detail} Sign-ins of the last ${OPERATOR_DAYS} days count.`,
              `Sign in with each role that people here have${operators.from === 'claims' ? ', or correct OPERATOR_ROLE_VALUES' : ''}.`,
            );
      },
    },
    session_length: openid && {
      title: 'Length of sessions',
      why: 'When a session ends, its operator has to sign in again, and loses secrets that are not saved yet.',
      needs: 'tables',
      look: async () => {
        const [latest] = await recentLogins(sources, openid.issuer);
        if (latest === undefined)
          return unknown(`Nobody has signed in within ${OPERATOR_DAYS} days.`, 'Check again after the next sign-in.');
        const { minutes } = latest.details;
        return minutes === undefined
          ? pass('The last one was for half an hour or more.')
          : warn(
              `The provider allows only ${minutes} minutes.`,
              'Raise the lifetime of access tokens for this client there: docs/connect.md names the setting.',
            );
      },
    },
  } satisfies Checks;
}

/** The last sign-in of each operator, the latest first. By claims, only of this provider. */
async function recentLogins({ config, auditSearch, claimsOperators, clock }: OperatorSources, issuer: string) {
  const since = new Date(clock.now() - OPERATOR_DAYS * DAY_MS).toISOString();
  const logins = await auditSearch.lastLogins(since, OPERATORS_MAX);
  if (config.auth.operators.from !== 'claims') return logins;
  const operators = await claimsOperators.latest(OPERATORS_MAX);
  const ids = new Set(operators.filter((one) => one.issuer === issuer).map(({ id }) => id));
  return logins.filter(({ actor }) => ids.has(actor));
}
