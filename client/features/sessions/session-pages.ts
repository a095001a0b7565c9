import { definePages, jsonTab } from '../../resource/define-pages.ts';
import { lazyPage } from '../../ui/loading/lazy-part.tsx';

export const SESSION_PAGES = definePages({
  list: lazyPage(() => import('./list/sessions-page.tsx'), 'SessionsPage'),
  record: lazyPage(() => import('./detail/session-page.tsx'), 'SessionPage'),
  tabs: {
    '/': lazyPage(() => import('./detail/overview-tab.tsx'), 'OverviewTab'),
    '/json': jsonTab,
  },
});
