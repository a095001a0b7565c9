import type { MessageStatus } from '../../../shared/messages.ts';
import type { Deployment } from '../../../shared/upstreams.ts';
import { codeMail, linkMail, type Message } from '../identity-service/courier.ts';
import { SESSION_LIFESPAN_MS, type StoredSession } from '../identity-service/sessions.ts';
import type { ClientDocument } from '../oauth-service/client-input.ts';
import type { Consent } from '../oauth-service/consents.ts';
import { identityClaims } from '../oauth-service/tokens.ts';
import data from './demo-data.json' with { type: 'json' };
import { DAY_MS, HOUR_MS, type Person, REGIONS, type Region } from './people.ts';
import type { Random } from './random.ts';

const SPAN_MS = 30 * DAY_MS;
/** The maximum age of messages that are not delivered yet. */
const UNDER_WAY_MS = 40 * 60_000;
const ATTEMPTS: Record<MessageStatus, { count: number; failed: boolean }> = {
  queued: { count: 0, failed: false },
  processing: { count: 1, failed: true },
  sent: { count: 1, failed: false },
  abandoned: { count: 3, failed: true },
};

export interface Recipient {
  address: string;
  /** E.164; defined for recipients of text messages. */
  phone: string | undefined;
}

/** Messages of the last 30 days, oldest first. The newest are in progress; of the others, some were abandoned. */
export function messages(recipients: readonly Recipient[], random: Random, now: number): Message[] {
  const underWay = Math.max(2, Math.round(recipients.length * 0.08));
  const ages = recipients.map((_, index) =>
    index < recipients.length - underWay ? UNDER_WAY_MS + random.below(SPAN_MS) : random.below(UNDER_WAY_MS),
  );
  ages.sort((a, b) => b - a);
  return recipients.map((recipient, index) => {
    const fromEnd = recipients.length - 1 - index;
    const status = statusOf(index, fromEnd, underWay, random);
    const sentAt = now - (ages[index] ?? 0);
    const at = new Date(sentAt).toISOString();
    const id = random.uuid();
    const { count, failed } = ATTEMPTS[status];
    const dispatches = Array.from({ length: count }, (_, attempt) => {
      const tried = new Date(sentAt + attempt * 1000).toISOString();
      return {
        id: random.uuid(),
        message_id: id,
        status: failed ? ('failed' as const) : ('success' as const),
        ...(failed && {
          // In the format that Kratos uses for its mail library.
          error: {
            code: 500,
            message: 'An internal server error occurred, please contact the system administrator',
            reason: `failed to send email via smtp: ${random.pick(data.deliveryProblems)}`,
            status: 'Internal Server Error',
          },
        }),
        created_at: tried,
        updated_at: tried,
      };
    });
    return {
      id,
      status,
      ...contentFor(recipient, random),
      send_count: count,
      ...(count > 0 ? { dispatches } : {}),
      created_at: at,
      updated_at: dispatches.at(-1)?.updated_at ?? at,
    };
  });
}

function statusOf(index: number, fromEnd: number, underWay: number, random: Random): MessageStatus {
  if (fromEnd === 0) return 'processing';
  if (fromEnd < underWay) return 'queued';
  // The oldest message is always abandoned, so that there is at least one.
  return index === 0 || random.chance(0.1) ? 'abandoned' : 'sent';
}

function contentFor({ address, phone }: Recipient, random: Random) {
  const code = String(random.below(1_000_000)).padStart(6, '0');
  if (phone !== undefined && random.chance(0.3))
    return {
      type: 'sms' as const,
      channel: 'sms',
      recipient: phone,
      subject: '',
      body: `Your login code is: ${code}\n\nIt expires in 15 minutes.\n`,
      template_type: 'login_code_valid',
    };
  const mail = { type: 'email', channel: 'email', recipient: address } as const;
  const draw = random.fraction();
  if (draw < 0.08) {
    const token = random.bytes(16).toString('hex');
    return { ...mail, ...linkMail(`https://account.example.com/recovery?token=${token}`) };
  }
  if (draw < 0.2)
    return {
      ...mail,
      subject: `Use code ${code} to log in`,
      body: `Login to your account with the following code:\n\n${code}\n\nIt expires in 15 minutes.\n`,
      template_type: 'login_code_valid',
    };
  return { ...mail, ...codeMail(draw < 0.55 ? 'recovery' : 'verification', code) };
}

export function* sessionsOf(
  { identity, region }: Person,
  deployment: Deployment,
  random: Random,
  now: number,
): Generator<StoredSession> {
  const registered = Date.parse(identity.created_at);
  // A few people sign in often, with two or three devices; most only occasionally.
  const count = Math.floor(random.fraction() ** 2.2 * 8.3);
  const devices = Array.from({ length: 1 + random.below(3) }, () => random.pickWeighted(data.userAgents).userAgent);
  const home = addressIn(random.pick(region.networks), random);
  for (let number = 0; number < count; number += 1) {
    const moment = momentOf(deployment, region, random, now);
    // Sign-ins before the registration are spread over the time since.
    const issuedAt = moment < registered ? registered + (moment % Math.max(now - registered, 1)) : moment;
    const away = () => random.pick((random.chance(0.85) ? region : random.pickWeighted(REGIONS)).networks);
    const address = random.chance(0.35) ? addressIn(away(), random) : home;
    yield {
      identityId: identity.id,
      document: {
        id: random.uuid(),
        active: !random.chance(0.08),
        expires_at: new Date(issuedAt + SESSION_LIFESPAN_MS).toISOString(),
        authenticated_at: new Date(issuedAt).toISOString(),
        ...methodsOf(identity.credentials, issuedAt, random),
        issued_at: new Date(issuedAt).toISOString(),
        devices: [{ id: random.uuid(), ip_address: address, user_agent: random.pick(devices), location: '' }],
      },
    };
  }
}

/** A random address in a network: `a.b.c.d/n`, or the first three groups of an IPv6 network. */
export function addressIn(network: string, random: Random): string {
  if (network.includes(':')) {
    const groups = Array.from({ length: 5 }, () => random.below(0x10000).toString(16));
    return `${network}:${groups.join(':')}`;
  }
  const [base = '', prefix = '32'] = network.split('/');
  const bytes = Buffer.from(base.split('.').map(Number));
  // Neither the network address nor the broadcast address.
  const host = random.below(2 ** (24 - Number(prefix))) * 256 + 1 + random.below(254);
  bytes.writeUInt32BE(bytes.readUInt32BE() + host);
  return bytes.join('.');
}

/** A time within the last 90 days, weighted to recent ones, at a plausible local hour; never in the future. */
function momentOf(deployment: Deployment, { utcOffset }: Region, random: Random, now: number): number {
  // The likelihood of each local hour: evenings for customers, office hours for the workforce.
  const hour = random.pickWeighted(data.hours[deployment].map((weight, local) => ({ weight, local }))).local;
  const today = Math.floor(now / DAY_MS);
  const day = today - Math.floor(random.fraction() ** 2.2 * 90);
  const moment = workday(deployment, day, random) * DAY_MS + (hour - utcOffset) * HOUR_MS + random.below(HOUR_MS);
  const daysAhead = Math.max(Math.ceil((moment - now) / DAY_MS), 0);
  return moment - daysAhead * DAY_MS;
}

/** Moves most of a workforce's weekend sign-ins to workdays. Day 0 was a Thursday. */
function workday(deployment: Deployment, day: number, random: Random): number {
  const isWeekend = (day + 4) % 7 === 0 || (day + 4) % 7 === 6;
  return deployment === 'workforce' && isWeekend && random.chance(0.85) ? day - 2 : day;
}

function methodsOf(
  { password, oidc, totp }: Person['identity']['credentials'],
  issuedAt: number,
  random: Random,
): Pick<StoredSession['document'], 'authenticator_assurance_level' | 'authentication_methods'> {
  const at = new Date(issuedAt).toISOString();
  const [provider] = oidc?.identifiers[0]?.split(':') ?? [];
  const byProvider = provider !== undefined && (password?.config.hashed_password === undefined || random.chance(0.6));
  const first = { method: 'password', aal: 'aal1', completed_at: at, ...(byProvider && { method: 'oidc', provider }) };
  return {
    authenticator_assurance_level: totp ? 'aal2' : 'aal1',
    authentication_methods: totp ? [first, { method: 'totp', aal: 'aal2', completed_at: at }] : [first],
  };
}

/**
 * Consents at some of a person's sign-ins, whose tokens have all expired.
 * @param signIns when the person signed in, ISO 8601
 * @param clients the clients people sign in to
 * @param issuer the OAuth server's base URL, without trailing slash
 */
export function* consentsOf(
  { identity }: Person,
  signIns: readonly string[],
  clients: readonly ClientDocument[],
  issuer: string,
  random: Random,
): Generator<Consent> {
  for (const at of signIns) {
    if (clients.length === 0 || !random.chance(0.4)) continue;
    const client = random.pick(clients);
    const scopes = client.scope.split(' ').filter((scope) => scope === 'openid' || random.chance(0.8));
    const query = new URLSearchParams({
      response_type: 'code',
      client_id: client.client_id,
      redirect_uri: client.redirect_uris[0] ?? '',
      scope: scopes.join(' '),
      state: random.bytes(12).toString('hex'),
    });
    yield {
      id: random.bytes(32).toString('base64url'),
      subject: identity.id,
      clientId: client.client_id,
      loginSessionId: random.uuid(),
      scopes,
      claims: identityClaims(identity, scopes),
      acr: 'aal1',
      amr: ['password'],
      requestedAt: at,
      handledAt: at,
      requestUrl: `${issuer}/oauth2/auth?${query}`,
      loginChallenge: random.bytes(32).toString('base64url'),
    };
  }
}
