import { lazyRouteComponent } from '@tanstack/react-router';
import type { WidgetPlacement } from '../../../../shared/dashboard-layout.ts';
import {
  ACTIVE_SESSIONS,
  AUDIT,
  CLIENTS,
  IDENTITIES,
  LOCKED_ACCOUNTS,
  POSTURE,
  SESSIONS,
  SYSTEM,
} from '../destinations.ts';
import { ActiveSessions } from './active-sessions.tsx';
import { IdentitiesTotal } from './identities-total.tsx';
import { LockedAccounts } from './locked-accounts.tsx';
import { PostureLine } from './posture.tsx';
import { RecentAudit } from './recent-audit.tsx';
import { ServicesList } from './services.tsx';
import type { Widget } from './widget.ts';

const drawn = (name: keyof typeof import('./drawn-widgets.tsx')) =>
  lazyRouteComponent(() => import('./drawn-widgets.tsx'), name);
const NUMBER = { size: { w: 3, h: 2 }, least: { w: 2, h: 2 } };
const CHART = { size: { w: 6, h: 4 }, least: { w: 3, h: 3 } };
const LIST = { size: { w: 4, h: 4 }, least: { w: 3, h: 2 } };

/** Every widget there is. An id, once it is stored in somebody's layout, keeps its meaning for good. */
export const WIDGETS: readonly Widget[] = [
  {
    id: 'identities-total',
    title: 'Identities',
    Body: IdentitiesTotal,
    drawn: false,
    destination: IDENTITIES,
    ...NUMBER,
  },
  {
    id: 'active-sessions',
    title: 'Active sessions',
    Body: ActiveSessions,
    drawn: false,
    destination: ACTIVE_SESSIONS,
    ...NUMBER,
  },
  {
    id: 'verification-rate',
    title: 'Verification rate',
    Body: drawn('VerificationRate'),
    drawn: true,
    destination: IDENTITIES,
    ...NUMBER,
  },
  {
    id: 'locked-accounts',
    title: 'Locked accounts',
    Body: LockedAccounts,
    drawn: false,
    destination: LOCKED_ACCOUNTS,
    needs: 'security.read',
    ...NUMBER,
  },
  { id: 'sign-ins', title: 'Sign-ins', Body: drawn('SignIns'), drawn: true, destination: SESSIONS, ...CHART },
  { id: 'services', title: 'Services', Body: ServicesList, drawn: false, destination: SYSTEM, ...LIST },
  {
    id: 'session-map',
    title: 'Session map',
    Body: lazyRouteComponent(() => import('./session-map-widget.tsx'), 'SessionMapWidget'),
    drawn: true,
    destination: ACTIVE_SESSIONS,
    size: { w: 7, h: 5 },
    least: { w: 4, h: 4 },
  },
  {
    id: 'recent-audit',
    title: 'Recent audit',
    Body: RecentAudit,
    drawn: false,
    destination: AUDIT,
    needs: 'security.read',
    ...LIST,
  },
  {
    id: 'new-identities',
    title: 'New identities',
    Body: drawn('NewIdentities'),
    drawn: true,
    destination: IDENTITIES,
    ...CHART,
  },
  { id: 'peak-hours', title: 'Peak hours', Body: drawn('PeakHours'), drawn: true, destination: SESSIONS, ...CHART },
  {
    id: 'identities-by-schema',
    title: 'Identities by schema',
    Body: drawn('IdentitiesBySchema'),
    drawn: true,
    destination: IDENTITIES,
    ...LIST,
  },
  {
    id: 'clients-by-grant',
    title: 'OAuth2 clients by grant',
    Body: drawn('ClientsByGrant'),
    drawn: true,
    destination: CLIENTS,
    ...LIST,
  },
  {
    id: 'posture',
    title: 'Security posture',
    Body: PostureLine,
    drawn: false,
    destination: POSTURE,
    needs: 'security.read',
    size: { w: 4, h: 2 },
    least: { w: 3, h: 2 },
  },
];

const at = (id: string, x: number, y: number, w: number, h: number): WidgetPlacement => ({ id, x, y, w, h });

/** Where widgets stand until they are arranged. */
export const STANDARD_LAYOUT: readonly WidgetPlacement[] = [
  at('identities-total', 0, 0, 3, 2),
  at('active-sessions', 3, 0, 3, 2),
  at('verification-rate', 6, 0, 3, 2),
  at('locked-accounts', 9, 0, 3, 2),
  at('sign-ins', 0, 2, 8, 4),
  at('services', 8, 2, 4, 4),
  at('session-map', 0, 6, 8, 6),
  at('recent-audit', 8, 6, 4, 4),
  at('posture', 8, 10, 4, 2),
  at('new-identities', 0, 12, 6, 4),
  at('peak-hours', 6, 12, 6, 4),
  at('identities-by-schema', 0, 16, 6, 4),
  at('clients-by-grant', 6, 16, 6, 4),
];

/** The same without what only administrators see, and without its gaps. */
export const VIEWER_LAYOUT: readonly WidgetPlacement[] = [
  at('identities-total', 0, 0, 4, 2),
  at('active-sessions', 4, 0, 4, 2),
  at('verification-rate', 8, 0, 4, 2),
  at('sign-ins', 0, 2, 8, 4),
  at('services', 8, 2, 4, 4),
  at('session-map', 0, 6, 8, 6),
  at('identities-by-schema', 8, 6, 4, 3),
  at('clients-by-grant', 8, 9, 4, 3),
  at('new-identities', 0, 12, 6, 4),
  at('peak-hours', 6, 12, 6, 4),
];
