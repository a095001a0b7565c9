import assert from 'node:assert/strict';
import { eventReason } from '../../server/events/reasons.ts';
import { redactor } from '../../server/upstream/proxy/errors.ts';
import { REASON_MAX_CHARACTERS, type SignInEventName } from '../../shared/sign-ins.ts';

const redact = redactor(['kratos']);
const reasonOf = (sentence: string, event: SignInEventName = 'LoginFailed') => eventReason(event, sentence, redact);

/** Sentences of Kratos v26.2. */
const KRATOS = `
invalid_credentials: the provided credentials are invalid, check for spelling mistakes in your password or username
inactive: This account was disabled.
inactive: This account has been disabled. Please contact support for assistance.
not_verified: account address not yet verified
not_verified: Your account's email or phone address are not verified yet. Please check your email or phone inbox.
not_verified: Account not active yet. Did you forget to verify your email address?
code_invalid: the provided code is invalid or has already been used
code_invalid: The recovery token is invalid or has already been used. Please retry the flow.
code_invalid: The code was already used. Please request another code.
second_factor_invalid: The provided authentication code is invalid, please try again.
second_factor_invalid: This backup recovery code has already been used.
second_factor_needed: An active session was found but it does not fulfill the requested Authenticator Assurance Level.
second_factor_needed: You can not requested a higher AAL (AAL2/AAL3) without an active session.
no_such_method: you have no TOTP device set up
no_such_method: account does not exist or has no security key set up
no_such_method: account does not exist or has not setup up sign in with code
no_such_method: this account does not exist or has no login method configured
no_such_method: could not find a strategy to login with
flow_expired: The login flow expired 12.03 minutes ago, please try again.
flow_expired: The self-service flow expired 3.20 minutes ago, initialize a new one.
csrf: The request was rejected to protect you from Cross-Site-Request-Forgery (CSRF) which could cause account takeover.
csrf: A security violation was detected.
exists_already: an account with the same identifier (email, phone, username, ...) exists already
provider_failed: Unable to complete OpenID Connect flow because the OpenID Provider returned error "x": y exists already
provider_failed: oauth2: "invalid_grant" "Malformed auth code."
provider_failed: Unable to finish because one or more permissions were not granted.
password_refused: the password does not fulfill the password policy because: The password has been found in data breaches.
password_refused: The password must be at least 8 characters long, but got 3.
invalid_input: missing properties: "identifier"
invalid_input: "the provided credentials are invalid" is not valid "email"
invalid_input: "it's \\"mine\\"" is not valid "email"
invalid_input: length must be >= 3, but got 2
invalid_input: 2 validation errors occurred:
rate_limited: The request was submitted too often. Please request another code.
server_error: duplicate key value violates unique constraint "identities" (SQLSTATE 23505)
server_error: SELECT traits FROM identities WHERE id = 1`;

/** Codes and hints of Hydra v26.2. */
const HYDRA = `
invalid_client: invalid_client
invalid_client: The requested OAuth 2.0 Client could not be authenticated.
invalid_grant: invalid_grant
invalid_grant: The authorization code has already been used.
invalid_grant: Refresh token expired at '2026-01-31 09:00:00 +0000 UTC'.
invalid_grant: The PKCE code challenge did not match the code verifier.
invalid_grant: The "redirect_uri" from this request does not match the one from the authorize request.
invalid_scope: The OAuth 2.0 Client is not allowed to request scope 'payments'.
invalid_request: Request parameter 'grant_type' is missing
unauthorized_client: The OAuth 2.0 Client is not allowed to use authorization grant 'client_credentials'.
unsupported_grant_type: unsupported_grant_type
server_error: server_error`;

const rowsOf = (table: string): string[][] => [...table.matchAll(/^(\w+): (.+)$/gm)].map(([, ...row]) => row);

const SECRETS = [
  'ada@example.org',
  'ory_at_w1Kq.x9',
  '1f0c2a9b-0000-4000-8000-000000000000',
  '+49 (151) 234-56 78',
  'SGVsbG8gd29ybGQsIHRoaXMgaXMgYSBzZWNyZXQ=',
  '{password: hunter2}',
  'kratos.internal',
  '"hunter two"',
  `"hunter \\"two\\" 'three'"`,
  "'hunter two or",
  `'hunter's "two' more'`,
  '“hunter two”',
];

describe('the reason of a failed sign-in', () => {
  for (const [table, event] of [
    [KRATOS, 'LoginFailed'],
    [KRATOS, 'RegistrationFailed'],
    [HYDRA, 'OAuth2TokenExchangeError'],
  ] as const)
    it(`is a stable word for a known sentence of ${event}`, () => {
      const rows = rowsOf(table);
      assert.deepEqual(
        rows.map(([, sentence = '']) => [reasonOf(sentence, event), sentence]),
        rows,
      );
    });

  for (const secret of SECRETS)
    it(`does not contain ${secret}`, () => {
      for (const sentence of [`It can't be done with ${secret}.`, `${secret} is no use`, `That is ${secret}`])
        for (const part of secret.match(/[\w.]{3,}/g) ?? [])
          assert.ok(!reasonOf(sentence)?.includes(part), `${sentence}: ${reasonOf(sentence)}`);
    });

  it('keeps the words of a sentence around an apostrophe and around a quotation', () => {
    assert.equal(reasonOf("The client's clock can't be right"), "The client's clock can't be right");
    assert.equal(reasonOf('Provider "x" and "y" gave up'), 'Provider … gave up');
    assert.equal(reasonOf('One line\nand a stack'), 'One line');
  });

  it('is other for unknown sentences of registrations and settings, and without a sentence', () => {
    assert.equal(reasonOf('Ada Lovelace went away', 'RegistrationFailed'), 'other');
    assert.equal(reasonOf('Ada Lovelace went away', 'SettingsFailed'), 'other');
    assert.equal(reasonOf(' '), 'other');
    assert.equal(reasonOf('This account was disabled.', 'LoginSucceeded'), null);
  });

  it('is cut between characters', () => {
    const long = reasonOf('😀 '.repeat(240)) ?? '';
    assert.deepEqual([[...long].length, long.isWellFormed()], [REASON_MAX_CHARACTERS, true]);
  });
});
