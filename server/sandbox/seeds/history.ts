import { DASHBOARD_CLIENT_ID } from '../deployment-settings.ts';
import type { SessionDocument } from '../identity-service/sessions.ts';
import type { SandboxParts } from '../parts.ts';
import { REASONS } from '../sign-in.ts';
import type { Trace } from '../telemetry.ts';
import { addressIn } from './activity.ts';
import { HOUR_MS, REGIONS } from './people.ts';
import { randomFrom } from './random.ts';

const SPAN_MS = 30 * 24 * HOUR_MS - HOUR_MS;
const SESSIONS_MAX = 3_000;
const CLIENTS_MAX = 50;
const SEED = 20_260_102;
const CODE_USED = 'The login code is invalid or has already been used. Please try again.';
const EXISTS = 'An account with the same identifier (email, phone, username, ...) exists already.';
const SCOPE = "The OAuth 2.0 Client is not allowed to request scope 'reports:write'.";

/** In the hour after a sign-in, from the same device: chance, event, method, and why it failed. */
const AFTERWARDS: readonly [number, string, string, string?][] = [
  [0.03, 'SettingsSucceeded', 'profile'],
  [0.02, 'LoginFailed', 'password', REASONS.wrong],
  [0.015, 'LoginFailed', 'password', REASONS.inactive],
  [0.015, 'LoginFailed', 'code', CODE_USED],
  [0.01, 'RegistrationFailed', 'password', EXISTS],
];

const range = (length: number): number[] => Array.from({ length }, (_, index) => index);

/**
 * What the services would have reported in the last month, for the sessions and clients of the sandbox.
 * @returns nothing if it was returned before, or without sessions
 */
export function pastTraces(parts: SandboxParts, kratos: string): Trace[] {
  const { database, clients } = parts;
  const now = parts.now();
  const sessions = database
    .prepare<[number, number], { document: string; identity: string; registered: string }>(
      `SELECT s.document, s.identity_id AS identity, i.document ->> '$.created_at' AS registered
       FROM sessions s JOIN identities i ON i.id = s.identity_id
       WHERE s.created_at > ? ORDER BY s.created_at DESC LIMIT ?`,
    )
    .all(now - SPAN_MS, SESSIONS_MAX);
  const first = database.prepare("INSERT OR IGNORE INTO installation (name, value) VALUES ('history', '1')");
  if (sessions.length === 0 || first.run().changes === 0) return [];
  const random = randomFrom(SEED);
  const traces: Trace[] = [];
  const reporter =
    (service: string, path: string, address: string, userAgent?: string) =>
    (at: number, name: string, attributes: Record<string, string | undefined>): void => {
      const request = { service, id: random.bytes(16), method: 'POST', path, address, userAgent };
      if (at <= now && at > now - SPAN_MS) traces.push({ ...request, at, events: [{ name, at, attributes }] });
    };
  const somewhere = (): string => addressIn(random.pick(random.pick(REGIONS).networks), random);
  /** More often lately. */
  const sometime = (): number => now - random.fraction() ** 2 * SPAN_MS;

  const registrations = new Set<string>();
  for (const { document, identity: IdentityID, registered } of sessions) {
    const { id, active, issued_at, devices, authentication_methods } = JSON.parse(document) as SessionDocument;
    const [{ method = 'password', provider = undefined } = {}] = authentication_methods;
    const report = reporter(kratos, '/self-service/login', devices[0]?.ip_address ?? '', devices[0]?.user_agent ?? '');
    const at = Date.parse(issued_at);
    const person = { IdentityID, SelfServiceMethodUsed: method, SelfServiceSSOProviderUsed: provider };
    const wrong = { ...person, Reason: REASONS.wrong };
    if (issued_at === registered && !registrations.has(IdentityID)) {
      registrations.add(IdentityID);
      report(at - 1_000, 'RegistrationSucceeded', person);
      report(at + 90_000, 'VerificationSucceeded', { IdentityID, SelfServiceMethodUsed: 'code' });
    } else if (method === 'password' && random.chance(0.12))
      for (const time of range(1 + random.below(3))) report(at - 9_000 - time * 12_000, 'LoginFailed', wrong);
    report(at, 'LoginSucceeded', { ...person, SessionID: id });
    if (!active) report(at + random.below(48 * HOUR_MS), 'SessionRevoked', { IdentityID, SessionID: id });
    for (const [chance, event, SelfServiceMethodUsed, Reason] of AFTERWARDS)
      if (random.chance(chance))
        report(at + random.below(HOUR_MS), event, { SelfServiceMethodUsed, Reason, ...(Reason ? {} : { IdentityID }) });
    if (method !== 'password' || !random.chance(0.008)) continue;
    for (const time of range(5 + random.below(6))) report(at + 5 * HOUR_MS + time * 14_000, 'LoginFailed', wrong);
    const recovery = { IdentityID, SelfServiceMethodUsed: 'code' };
    report(at + 6 * HOUR_MS, 'RecoveryInitiatedByAdmin', recovery);
    report(at + 7 * HOUR_MS, 'RecoverySucceeded', recovery);
  }

  const unknown = { SelfServiceMethodUsed: 'password', Reason: REASONS.wrong };
  for (const tries of [35, 20, 12, 8]) {
    const report = reporter(kratos, '/self-service/login', somewhere(), 'python-requests/2.32.3');
    for (const _ of range(tries)) report(sometime(), 'LoginFailed', unknown);
    // Within one minute, which begins at a whole one.
    const burst = Math.floor(now / 60_000 - 300) * 60_000;
    if (tries === 35) for (const time of range(tries)) report(burst + time * 1_200, 'LoginFailed', unknown);
  }

  for (const [index, { client_id, grant_types }] of clients.page('', CLIENTS_MAX, null, null).entries()) {
    // Some have never been used.
    if (client_id === DASHBOARD_CLIENT_ID || index % 5 === 3) continue;
    const report = reporter('hydra', '/oauth2/token', somewhere());
    const used = { OAuth2ClientID: client_id, OAuth2GrantType: grant_types[0] };
    for (const _ of range(8 + random.below(60))) report(sometime(), 'OAuth2AccessTokenIssued', used);
    const ErrorReason = random.pick(['invalid_grant', 'invalid_grant', SCOPE]);
    const nameless = { OAuth2ClientID: '', ErrorReason: 'invalid_client' };
    for (const _ of range(random.below(5))) {
      report(sometime(), 'OAuth2TokenExchangeError', { OAuth2ClientID: client_id, ErrorReason });
      if (index % 4 === 0) report(sometime(), 'OAuth2TokenExchangeError', nameless);
    }
  }
  return traces;
}
