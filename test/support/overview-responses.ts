import type { BrowserContext } from 'playwright-core';
import type { AuditRecord } from '../../shared/audit.ts';
import type { DayCount, Statistics } from '../../shared/dashboard.ts';
import type { IdentityTotal } from '../../shared/identities.ts';
import type { MapPoint, SessionLocations } from '../../shared/locations.ts';
import { type LockedAccountList, POSTURE_IDS, type Posture } from '../../shared/security.ts';
import type { Services } from '../../shared/services.ts';

const DAY_MS = 86_400_000;
const ago = (milliseconds: number): string => new Date(Date.now() - milliseconds).toISOString();

/** So many days up to today with a count for each: a wave that repeats every week. */
const days = (length: number, countOf: (index: number) => number): DayCount[] =>
  Array.from({ length }, (_, index) => ({
    day: ago((length - 1 - index) * DAY_MS).slice(0, 10),
    count: Math.round(countOf(index)),
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
      { schema_id: 'partner', count: 1_204 },
      { schema_id: 'legacy_import', count: 265 },
    ],
    created: days(365, (index) => 34 + index / 9 + 14 * Math.sin(index * 0.9) + (index % 7 > 4 ? -16 : 4)),
    as_of: ago(45_000),
  },
  sessions: {
    sample: 20_000,
    truncated: true,
    since: ago(89 * DAY_MS),
    active: 7_418,
    sign_ins: days(90, (index) => 190 + index + 34 * Math.sin(index * 0.7) + (index % 7 > 4 ? -84 : 22)),
    hours: [
      92, 61, 40, 28, 31, 77, 240, 688, 1402, 1633, 1544, 1391, 1220, 1304, 1377, 1290, 1151, 1043, 1106, 1287, 1190,
      861, 470, 214,
    ],
    as_of: ago(12_000),
  },
  clients: {
    sample: 37,
    truncated: false,
    by_grant: [
      { grant: 'authorization_code', count: 29 },
      { grant: 'refresh_token', count: 24 },
      { grant: 'client_credentials', count: 8 },
      { grant: 'urn:ietf:params:oauth:grant-type:device_code', count: 2 },
    ],
    as_of: ago(31_000),
  },
});

const PLACES: [label: string, lat: number, lng: number, count: number][] = [
  ['Germany', 51, 10, 1840],
  ['United States', 39.5, -98.5, 1422],
  ['France', 46.5, 2.5, 688],
  ['United Kingdom', 54, -2.5, 611],
  ['Norway', 61, 9, 402],
  ['Brazil', -10.5, -53, 388],
  ['India', 22, 79, 344],
  ['Japan', 36.5, 138, 241],
  ['Australia', -25.5, 134.5, 168],
  ['South Africa', -29, 25, 121],
  ['Canada', 57, -101, 96],
  ['Singapore', 1.5, 104, 74],
  ['Kenya', 0.5, 38, 41],
  ['Argentina', -35, -65, 38],
  ['Iceland', 65, -18.5, 9],
  ['New Zealand', -41, 174, 5],
];
const points: MapPoint[] = PLACES.map(([label, lat, lng, count]) => ({ label, lat, lng, count }));

const locations = (): SessionLocations => ({
  points,
  unknown: 330,
  sessions: points.reduce((sum, { count }) => sum + count, 330),
  truncated: true,
  as_of: ago(12_000),
});

const services = (): Services => ({
  services: (
    [
      ['identity', 'up', null, 7, null],
      ['identity-admin', 'up', 'v26.2.0', 11, null],
      ['iam-identity', 'not_configured', null, null, null],
      ['iam-identity-admin', 'not_configured', null, null, null],
      ['oauth', 'up', null, 9, null],
      ['oauth-admin', 'degraded', 'v26.2.0', 1_204, 'refuses_key'],
      ['operators', 'up', 'v26.2.0', 10, null],
      ['database', 'up', null, 1, null],
      ['geo', 'up', null, null, null],
    ] as const
  ).map(([name, status, version, latency_ms, problem]) => ({
    name,
    status,
    version,
    latency_ms,
    problem,
    checked_at: ago(3_000),
    since: ago(86_400_000),
  })),
});

const OPERATOR = '1f0c2a9b-7d1e-4a55-9e55-0a1b2c3d4e5f';
const audit = (): { events: AuditRecord[]; next_page_token: string | null; has_more: boolean } => ({
  events: (
    [
      ['login', null, 2],
      ['identity_search', 'jane.doe@example.org', 4],
      ['setting_decrypt', 'mail.smtp.password', 9],
      ['proxy_write', '/admin/identities/5f3e…', 26],
      ['account_unlock', 'sam@example.org', 31],
      ['setting_write', 'branding.product_name', 190],
      ['login_refused', null, 260],
      ['logout', null, 600],
    ] as const
  ).map(([action, target, minutes], index) => ({
    sequence: 900 - index,
    timestamp: ago(minutes * 60_000),
    action,
    actor: action === 'login_refused' ? 'anonymous' : OPERATOR,
    target,
    subject: null,
    details: {},
  })),
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
    title: id === 'role_self_service' ? 'Roles are out of reach of self-service' : id.replaceAll('_', ' '),
    status: id === 'role_self_service' ? 'fail' : ((['warn', 'warn', 'unknown'] as const)[index] ?? 'pass'),
    detail: id === 'role_self_service' ? 'A schema with a role is open to everybody who may sign in.' : '',
    why: '',
    action: '',
  })),
});

/** What the overview asks for, by path, with the answers of a busy platform. */
export const BUSY: Record<string, () => unknown> = {
  '/api/dashboard/statistics': statistics,
  '/api/identities/total': (): IdentityTotal => ({ total: 48_213, as_of: ago(5_000) }),
  '/api/session-locations': locations,
  '/api/services': services,
  '/api/security/audit': audit,
  '/api/security/locked-accounts': locked,
  '/api/security/posture': posture,
};

/** Answers these questions of the page itself; all others reach the service. */
export async function respondWith(context: BrowserContext, responses: Record<string, () => unknown>): Promise<void> {
  for (const [path, response] of Object.entries(responses)) {
    await context.route(
      (url) => url.pathname === path,
      (route) => route.fulfill({ json: response() }),
    );
  }
}
