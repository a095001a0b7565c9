import type { Deployment } from '../../../shared/deployment.ts';
import { SESSION_LIFESPAN_MS } from '../identity-service/flows/password-sign-in.ts';
import type { StoredSession } from '../identity-service/sessions/session-store.ts';
import { addressIn } from './addresses.ts';
import type { Person } from './people.ts';
import type { Random } from './random.ts';
import { REGIONS, type Region } from './regions.ts';
import { USER_AGENTS } from './user-agents.ts';

const DAY_MS = 86_400_000;
const HOUR_MS = 3_600_000;
const SPAN_DAYS = 90;

/** The likelihood of each local hour: evenings for customers, office hours for the workforce. */
const HOURS: Record<Deployment, readonly number[]> = {
  customer: [2, 1, 1, 1, 1, 2, 4, 7, 9, 8, 7, 7, 8, 8, 7, 7, 8, 9, 11, 13, 14, 13, 9, 5],
  workforce: [0, 0, 0, 0, 0, 1, 4, 10, 18, 20, 16, 13, 10, 14, 14, 12, 9, 6, 3, 2, 1, 1, 1, 0],
};

/** A person's sessions of the last 90 days. @param now milliseconds since the epoch */
export function* sessionsOf(
  { identity, region }: Person,
  deployment: Deployment,
  random: Random,
  now: number,
): Generator<StoredSession> {
  const registered = Date.parse(identity.created_at);
  // A few people sign in often, with two or three devices; most only occasionally.
  const count = Math.floor(random.fraction() ** 2.2 * 8.3);
  const devices = Array.from({ length: 1 + random.below(3) }, () => random.pickWeighted(USER_AGENTS).userAgent);
  const home = addressIn(random.pick(region.networks), random);
  for (let number = 0; number < count; number += 1) {
    const issuedAt = Math.max(momentOf(deployment, region, random, now), registered);
    const address = random.chance(0.35) ? addressIn(random.pick(awayFrom(region, random).networks), random) : home;
    yield {
      identityId: identity.id,
      token: `ory_st_${random.bytes(24).toString('base64url')}`,
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

/** The region someone travels to: mostly still the same one. */
const awayFrom = (home: Region, random: Random): Region => (random.chance(0.85) ? home : random.pickWeighted(REGIONS));

/** A time within the last 90 days, weighted to recent ones, at a plausible local hour; never in the future. */
function momentOf(deployment: Deployment, { utcOffset }: Region, random: Random, now: number): number {
  const hour = random.pickWeighted(HOURS[deployment].map((weight, local) => ({ weight, local }))).local;
  const today = Math.floor(now / DAY_MS);
  const day = today - Math.floor(random.fraction() ** 2.2 * SPAN_DAYS);
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
  const first = byProvider
    ? { method: 'oidc', aal: 'aal1', completed_at: at, provider }
    : { method: 'password', aal: 'aal1', completed_at: at };
  if (totp === undefined) return { authenticator_assurance_level: 'aal1', authentication_methods: [first] };
  return {
    authenticator_assurance_level: 'aal2',
    authentication_methods: [first, { method: 'totp', aal: 'aal2', completed_at: at }],
  };
}
