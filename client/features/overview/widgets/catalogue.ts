import { can, type Role } from '../../../../shared/capabilities.ts';
import {
  ACTIVE_SESSIONS,
  CHANGES,
  CLIENTS,
  IDENTITIES,
  LOCKED_ACCOUNTS,
  POSTURE,
  SESSIONS,
  SYSTEM,
} from '../destinations.ts';
import type { ViewWidget } from './view-widgets.ts';
import type { WidgetFacts } from './widget.ts';

const NUMBER = { size: { w: 3, h: 2 }, least: { w: 2, h: 2 } };
const CHART = { size: { w: 6, h: 4 }, least: { w: 3, h: 3 } };
const LIST = { size: { w: 4, h: 4 }, least: { w: 3, h: 2 } };

/** All widgets but those of views. Ids are stored in operators' layouts, so their meaning must never change. */
export const WIDGETS = [
  {
    id: 'identities-total',
    title: 'Identities',
    drawn: false,
    destination: IDENTITIES,
    needs: 'statistics.read',
    ...NUMBER,
  },
  {
    id: 'active-sessions',
    title: 'Active sessions',
    drawn: false,
    destination: ACTIVE_SESSIONS,
    needs: 'statistics.read',
    ...NUMBER,
  },
  {
    id: 'verification-rate',
    title: 'Verification rate',
    drawn: true,
    destination: IDENTITIES,
    needs: 'statistics.read',
    ...NUMBER,
  },
  {
    id: 'locked-accounts',
    title: 'Locked accounts',
    drawn: false,
    destination: LOCKED_ACCOUNTS,
    needs: 'locks.read',
    ...NUMBER,
  },
  { id: 'sign-ins', title: 'Sessions started', drawn: true, destination: SESSIONS, needs: 'statistics.read', ...CHART },
  { id: 'services', title: 'Services', drawn: false, destination: SYSTEM, needs: 'services.read', ...LIST },
  {
    id: 'session-map',
    title: 'Session map',
    drawn: true,
    destination: ACTIVE_SESSIONS,
    needs: 'session-locations.read',
    size: { w: 7, h: 5 },
    least: { w: 4, h: 4 },
  },
  {
    id: 'recent-audit',
    title: 'Recent audit',
    drawn: false,
    destination: CHANGES,
    needs: 'audit.read',
    ...LIST,
  },
  {
    id: 'new-identities',
    title: 'New identities',
    drawn: true,
    destination: IDENTITIES,
    needs: 'statistics.read',
    ...CHART,
  },
  { id: 'peak-hours', title: 'Peak hours', drawn: true, destination: SESSIONS, needs: 'statistics.read', ...CHART },
  {
    id: 'identities-by-schema',
    title: 'Identities by schema',
    drawn: true,
    destination: IDENTITIES,
    needs: 'statistics.read',
    ...LIST,
  },
  {
    id: 'clients-by-grant',
    title: 'OAuth2 clients by grant',
    drawn: true,
    destination: CLIENTS,
    needs: 'statistics.read',
    ...LIST,
  },
  {
    id: 'posture',
    title: 'Security posture',
    drawn: false,
    destination: POSTURE,
    needs: 'posture.read',
    size: { w: 4, h: 2 },
    least: { w: 3, h: 2 },
  },
] as const satisfies readonly WidgetFacts[];

export type WidgetId = (typeof WIDGETS)[number]['id'];

export type Widget = (WidgetFacts & { id: WidgetId }) | ViewWidget;

export const offeredTo = (role: Role): Widget[] => WIDGETS.filter(({ needs }) => can(role, needs));
