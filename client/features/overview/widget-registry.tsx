import type { ComponentType } from 'react';
import { lazyPart } from '../../ui/lazy-part.tsx';
import { LockedAccounts, PostureLine, RecentAudit, ServicesList } from './list-widgets.tsx';
import { PendingWidget } from './loaded.tsx';
import { ActiveSessions, IdentitiesTotal } from './number-widgets.tsx';
import { ViewNumber } from './view-number.tsx';
import { isViewWidget, type Widget, type WidgetBodyProps, type WidgetId } from './widget-catalogue.ts';

/** Charts load after the page's first paint. */
const drawn = (name: keyof typeof import('./chart-widgets.tsx')) =>
  lazyPart(() => import('./chart-widgets.tsx'), name, <PendingWidget />);

const BODIES: Record<WidgetId, ComponentType<WidgetBodyProps>> = {
  'identities-total': IdentitiesTotal,
  'active-sessions': ActiveSessions,
  'verification-rate': drawn('VerificationRate'),
  'locked-accounts': LockedAccounts,
  'sign-ins': drawn('SignIns'),
  services: ServicesList,
  'session-map': lazyPart(() => import('./session-map-widget.tsx'), 'SessionMapWidget', <PendingWidget />),
  'recent-audit': RecentAudit,
  'new-identities': drawn('NewIdentities'),
  'peak-hours': drawn('PeakHours'),
  'identities-by-schema': drawn('IdentitiesBySchema'),
  'clients-by-grant': drawn('ClientsByGrant'),
  posture: PostureLine,
};

/** What a widget shows below its title. */
export const bodyOf = (id: Widget['id']): ComponentType<WidgetBodyProps> =>
  isViewWidget(id) ? ViewNumber : BODIES[id];
