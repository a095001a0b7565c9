import type { ComponentType } from 'react';
import { lazyPanel } from '../../../ui/loading/lazy-part.tsx';
import { ActiveSessions } from './active-sessions.tsx';
import type { Widget, WidgetId } from './catalogue.ts';
import { IdentitiesTotal } from './identities-total.tsx';
import { LockedAccounts } from './locked-accounts.tsx';
import { PostureLine } from './posture.tsx';
import { RecentAudit } from './recent-audit.tsx';
import { ServicesList } from './services.tsx';
import { isViewWidget } from './view-widgets.ts';
import type { WidgetBodyProps } from './widget.ts';

/** Charts load after the page's first paint. */
const drawn = (name: keyof typeof import('./drawn-widgets.tsx')) =>
  lazyPanel(() => import('./drawn-widgets.tsx'), name);

const BODIES: Record<WidgetId, ComponentType<WidgetBodyProps>> = {
  'identities-total': IdentitiesTotal,
  'active-sessions': ActiveSessions,
  'verification-rate': drawn('VerificationRate'),
  'locked-accounts': LockedAccounts,
  'sign-ins': drawn('SignIns'),
  services: ServicesList,
  'session-map': lazyPanel(() => import('./session-map-widget.tsx'), 'SessionMapWidget'),
  'recent-audit': RecentAudit,
  'new-identities': drawn('NewIdentities'),
  'peak-hours': drawn('PeakHours'),
  'identities-by-schema': drawn('IdentitiesBySchema'),
  'clients-by-grant': drawn('ClientsByGrant'),
  posture: PostureLine,
};

const ViewNumber: ComponentType<WidgetBodyProps> = lazyPanel(() => import('./view-number.tsx'), 'ViewNumber');

/** What a widget shows below its title. */
export const bodyOf = (id: Widget['id']): ComponentType<WidgetBodyProps> =>
  isViewWidget(id) ? ViewNumber : BODIES[id];
