import { can, type Role } from '../../../shared/capabilities.ts';
import type { WidgetPlacement } from '../../../shared/dashboard.ts';
import { lazyPart } from '../../ui/lazy-part.tsx';
import { ActiveSessions, IdentitiesTotal, LockedAccounts, Posture, RecentAudit, Services } from './basic-widgets.tsx';
import { useViewWidgets } from './view-widgets.tsx';
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

/** All widgets except those of views. Layouts store the ids, so the meaning of an id must never change. */
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
  { id: 'sign-ins', title: 'Sessions started', destination: SESSIONS, ...CHART, ...chart('SignIns') },
  { id: 'services', title: 'Services', destination: SYSTEM, ...LINES, needs: 'services.read', Body: Services },
  {
    id: 'session-map',
    title: 'Session map',
    destination: ACTIVE_SESSIONS,
    needs: 'session-locations.read',
    size: { w: 7, h: 5 },
    min: { w: 4, h: 4 },
    chart: true,
    Body: lazyPart(() => import('./session-map-widget.tsx'), 'SessionMapWidget', <PendingWidget />),
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
  { id: 'identities-by-schema', title: 'Identities by schema', destination: IDENTITIES, ...LIST, ...chart('Schemas') },
  { id: 'clients-by-grant', title: 'Clients by grant', destination: CLIENTS, ...LIST, ...chart('Grants') },
  {
    id: 'posture',
    title: 'Security posture',
    destination: POSTURE,
    ...LINES,
    needs: 'posture.read',
    Body: Posture,
  },
];

export const offeredTo = (role: Role): Widget[] => WIDGETS.filter(({ needs }) => can(role, needs));

/** The widgets that an operator may see. */
export function useOffered(role: Role, isArranging: boolean): Widget[] {
  const ofViews = useViewWidgets(isArranging);
  return [...offeredTo(role), ...ofViews];
}

const at = (id: string, x: number, y: number, w: number, h: number): WidgetPlacement => ({ id, x, y, w, h });

export const STANDARD_LAYOUT: readonly WidgetPlacement[] = [
  at('identities-total', 0, 0, 3, 2),
  at('active-sessions', 3, 0, 3, 2),
  at('verification-rate', 6, 0, 3, 2),
  at('locked-accounts', 9, 0, 3, 2),
  at('sign-ins', 0, 2, 8, 4),
  at('services', 8, 2, 4, 2),
  at('posture', 8, 4, 4, 2),
  at('session-map', 0, 6, 8, 5),
  at('identities-by-schema', 8, 6, 4, 3),
  at('clients-by-grant', 8, 9, 4, 4),
  at('recent-audit', 0, 11, 8, 2),
  at('new-identities', 0, 13, 6, 4),
  at('peak-hours', 6, 13, 6, 4),
];

/** The default placements without gaps, for roles that may see none of the missing widgets. */
export const VIEWER_LAYOUT: readonly WidgetPlacement[] = [
  at('identities-total', 0, 0, 4, 2),
  at('active-sessions', 4, 0, 4, 2),
  at('verification-rate', 8, 0, 4, 2),
  at('sign-ins', 0, 2, 8, 4),
  at('services', 8, 2, 4, 2),
  at('identities-by-schema', 8, 4, 4, 3),
  at('session-map', 0, 6, 8, 5),
  at('clients-by-grant', 8, 7, 4, 4),
  at('new-identities', 0, 11, 6, 4),
  at('peak-hours', 6, 11, 6, 4),
];

/** Default placements of the widgets that a role may see. */
export const standardFor = (offered: readonly { id: string }[]): readonly WidgetPlacement[] =>
  offered.every(({ id }) => VIEWER_LAYOUT.some((placement) => placement.id === id)) ? VIEWER_LAYOUT : STANDARD_LAYOUT;
