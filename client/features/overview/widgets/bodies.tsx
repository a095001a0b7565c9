import type { ComponentType } from 'react';
import { lazyPart } from '../../../ui/loading/lazy-part.tsx';
import { ActiveSessions } from './active-sessions.tsx';
import type { Widget, WidgetId } from './catalogue.ts';
import { IdentitiesTotal } from './identities-total.tsx';
import { PendingWidget } from './loaded.tsx';
import { LockedAccounts } from './locked-accounts.tsx';
import { PostureLine } from './posture.tsx';
import { RecentAudit } from './recent-audit.tsx';
import { ServicesList } from './services.tsx';
import { ViewNumber } from './view-number.tsx';
import { isViewWidget } from './view-widgets.ts';
import type { WidgetBodyProps } from './widget.ts';

/** Charts load after the page's first paint. */
const drawn = (name: keyof typeof import('./drawn-widgets.tsx')) =>
  lazyPart(() => import('./drawn-widgets.tsx'), name, <PendingWidget />);

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
