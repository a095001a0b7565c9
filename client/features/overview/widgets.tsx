import { can, type Role } from '../../../shared/capabilities.ts';
import { lazyPart } from '../../ui/lazy-part.tsx';
import { ActiveSessions, IdentitiesTotal, LockedAccounts, Posture, RecentAudit, Services } from './basic-widgets.tsx';
import {
  ACTIVE_SESSIONS,
  type Destination,
  IDENTITIES,
  LOCKED_ACCOUNTS,
  PendingWidget,
  SESSIONS,
  SYSTEM,
  type Widget,
} from './widget-parts.tsx';

const CLIENTS: Destination = { to: '/oauth/clients', needs: 'upstreams.read' };
const POSTURE: Destination = { to: '/security', needs: 'posture.read' };
const CHANGES: Destination = { to: '/security/audit', search: { changes: 'true' }, needs: 'audit.read' };

/** Most widgets use the statistics; the others override `needs`. */
const NUMBER = { needs: 'statistics.read', size: { w: 3, h: 2 }, min: { w: 2, h: 2 } } as const;
const CHART = { needs: 'statistics.read', size: { w: 6, h: 4 }, min: { w: 3, h: 3 } } as const;
const LIST = { needs: 'statistics.read', size: { w: 4, h: 3 }, min: { w: 3, h: 2 } } as const;
const LINES = { size: { w: 4, h: 2 }, min: { w: 3, h: 2 } } as const;

/** Charts load after the page's first paint. */
const chart = (name: keyof typeof import('./chart-widgets.tsx')) => ({
  chart: true,
  Body: lazyPart(() => import('./chart-widgets.tsx'), name, <PendingWidget />),
});

/**
 * All widgets except those of views, in the order in which they fill an overview that has never been arranged. Layouts
 * store the ids, so their meaning must never change.
 */
export const WIDGETS: readonly Widget[] = [
  { id: 'identities-total', title: 'Identities', destination: IDENTITIES, ...NUMBER, Body: IdentitiesTotal },
  { id: 'active-sessions', title: 'Active sessions', destination: ACTIVE_SESSIONS, ...NUMBER, Body: ActiveSessions },
  { id: 'verification-rate', title: 'Verification rate', destination: IDENTITIES, ...NUMBER, ...chart('Verification') },
  {
    id: 'locked-accounts',
    title: 'Locked accounts',
    destination: LOCKED_ACCOUNTS,
    ...NUMBER,
    needs: 'locks.read',
    Body: LockedAccounts,
  },
  {
    id: 'sign-ins',
    title: 'Sessions started',
    destination: SESSIONS,
    ...CHART,
    size: { w: 8, h: 4 },
    ...chart('SignIns'),
  },
  { id: 'services', title: 'Services', destination: SYSTEM, ...LINES, needs: 'services.read', Body: Services },
  { id: 'posture', title: 'Security posture', destination: POSTURE, ...LINES, needs: 'posture.read', Body: Posture },
  {
    id: 'session-map',
    title: 'Session map',
    destination: ACTIVE_SESSIONS,
    needs: 'session-locations.read',
    size: { w: 8, h: 5 },
    min: { w: 4, h: 4 },
    chart: true,
    Body: lazyPart(() => import('./session-map-widget.tsx'), 'SessionMapWidget', <PendingWidget />),
  },
  { id: 'identities-by-schema', title: 'Identities by schema', destination: IDENTITIES, ...LIST, ...chart('Schemas') },
  {
    id: 'clients-by-grant',
    title: 'Clients by grant',
    destination: CLIENTS,
    ...LIST,
    size: { w: 4, h: 4 },
    ...chart('Grants'),
  },
  {
    id: 'recent-audit',
    title: 'Recent audit',
    destination: CHANGES,
    ...LINES,
    size: { w: 8, h: 2 },
    needs: 'audit.read',
    Body: RecentAudit,
  },
  { id: 'new-identities', title: 'New identities', destination: IDENTITIES, ...CHART, ...chart('NewIdentities') },
  { id: 'peak-hours', title: 'Peak hours', destination: SESSIONS, ...CHART, ...chart('PeakHours') },
];

/** The numbers fill the first row. Roles that may not see locked accounts have only three, which are wider. */
export const offeredTo = (role: Role): Widget[] =>
  WIDGETS.filter(({ needs }) => can(role, needs)).map((widget) =>
    widget.size === NUMBER.size && !can(role, 'locks.read') ? { ...widget, size: { w: 4, h: 2 } } : widget,
  );
