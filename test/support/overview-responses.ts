import type { BrowserContext } from 'playwright-core';
import type { AuditRecord } from '../../shared/audit.ts';
import type { DayCount, Statistics } from '../../shared/dashboard.ts';
import type { IdentityTotal } from '../../shared/identities.ts';
import type { MapPoint, SessionLocations } from '../../shared/locations.ts';
import { type LockedAccountList, POSTURE_IDS, type Posture } from '../../shared/security.ts';
import type { ServiceName, ServiceState, Services } from '../../shared/services.ts';

const DAY_MS = 86_400_000;
const ago = (milliseconds: number): string => new Date(Date.now() - milliseconds).toISOString();

/** Counts of consecutive days up to today, which grow in waves. */
const days = (length: number): DayCount[] =>
  Array.from({ length }, (_, index) => ({
    day: ago((length - 1 - index) * DAY_MS).slice(0, 10),
    count: Math.round(40 + index / 9 + 14 * Math.sin(index * 0.9)),
  }));

const statistics = (): Statistics => ({
  identities: {
    total: 48_213,
    sample: 20_000,
    complete: false,
    verifiable: 18_400,
    verified: 15_272,
    by_schema: [
      { schema_id: 'customer', count: 14_920 },
      { schema_id: 'business', count: 3_611 },
      { schema_id: 'legacy_import', count: 1_469 },
    ],
    created: days(365),
    as_of: ago(45_000),
  },
  sessions: {
    sample: 20_000,
    truncated: true,
    since: ago(89 * DAY_MS),
    active: 7_418,
    sign_ins: days(90),
    hours: Array.from({ length: 24 }, (_, hour) => Math.round(800 - 700 * Math.cos((hour / 12) * Math.PI))),
    as_of: ago(12_000),
  },
  clients: {
    sample: 37,
    truncated: false,
    by_grant: [
      { grant: 'authorization_code', count: 29 },
      { grant: 'client_credentials', count: 8 },
      { grant: 'urn:ietf:params:oauth:grant-type:device_code', count: 2 },
    ],
    as_of: ago(31_000),
  },
});

const points: MapPoint[] = [
  { label: 'Germany', lat: 51, lng: 10, count: 1840 },
  { label: 'United States', lat: 39.5, lng: -98.5, count: 1422 },
  { label: 'Norway', lat: 61, lng: 9, count: 402 },
  { label: 'Australia', lat: -25.5, lng: 134.5, count: 168 },
  { label: 'Iceland', lat: 65, lng: -18.5, count: 9 },
];

const locations = (): SessionLocations => ({
  points,
  unknown: 330,
  sessions: points.reduce((sum, { count }) => sum + count, 330),
  truncated: true,
  as_of: ago(12_000),
});

export const serviceState = (name: ServiceName, more: Partial<ServiceState> = {}): ServiceState => ({
  name,
  status: 'up',
  version: null,
  latency_ms: null,
  problem: null,
  since: null,
  checked_at: new Date().toISOString(),
  ...more,
});

const services = (): Services => ({
  services: [
    serviceState('identity'),
    serviceState('identity-admin', { version: 'v26.2.0' }),
    serviceState('iam-identity', { status: 'not_configured', latency_ms: null }),
    serviceState('oauth-admin', { status: 'degraded', latency_ms: 1_204, problem: 'refuses_key', since: ago(DAY_MS) }),
    serviceState('database'),
  ],
});

const OPERATOR = '1f0c2a9b-7d1e-4a55-9e55-0a1b2c3d4e5f';
const record = (action: AuditRecord['action'], actor: string, target: string | null, index: number): AuditRecord => ({
  sequence: 900 - index,
  timestamp: ago((index + 1) ** 3 * 60_000),
  action,
  actor,
  target,
  subject: null,
  details: {},
});
const audit = (): { events: AuditRecord[]; next_page_token: string | null; has_more: boolean } => ({
  events: [
    record('login', OPERATOR, null, 0),
    record('identity_search', OPERATOR, 'jane.doe@example.org', 1),
    record('setting_decrypt', OPERATOR, 'mail.smtp.password', 2),
    record('proxy_write', OPERATOR, '/admin/identities/5f3e…', 3),
    record('account_unlock', OPERATOR, 'sam@example.org', 4),
    record('login_refused', 'anonymous', null, 5),
  ],
  next_page_token: 'next',
  has_more: true,
});

const locked = (): LockedAccountList => ({
  data: [
    {
      id: 'abcdefghijklmnopqrstuv',
      identifier: 'sam@example.org',
      reason: 'wrong_password',
      attempts: 5,
      trigger_ip: '203.0.113.9',
      locked_at: ago(120_000),
      locked_until: ago(-780_000),
    },
  ],
  total: 3,
  truncated: false,
});

const posture = (): Posture => ({
  as_of: ago(50_000),
  checks: POSTURE_IDS.map((id, index) => ({
    id,
    title: id.replaceAll('_', ' '),
    status: id === 'role_self_service' ? 'fail' : ((['warn', 'warn', 'unknown'] as const)[index] ?? 'pass'),
    detail: '',
    why: '',
    action: '',
  })),
});

/** The responses that the overview of a busy platform gets, by path. */
export const BUSY_RESPONSES: Record<string, () => unknown> = {
  '/api/dashboard/statistics': statistics,
  '/api/identities/total': (): IdentityTotal => ({ total: 48_213, as_of: ago(5_000) }),
  '/api/session-locations': locations,
  '/api/services': services,
  '/api/security/audit': audit,
  '/api/security/locked-accounts': locked,
  '/api/security/posture': posture,
};

/** Responds to these requests of a page; all others reach the service. */
export async function respondWith(context: BrowserContext, responses: Record<string, () => unknown>): Promise<void> {
  for (const [path, response] of Object.entries(responses))
    await context.route(
      (url) => url.pathname === path,
      (route) => route.fulfill({ json: response() }),
    );
}
