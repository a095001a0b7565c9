import { definePages, jsonTab, timelineTab } from '../../resource/define-pages.ts';
import { lazyPage } from '../../ui/loading/lazy-part.tsx';

export const CLIENT_PAGES = definePages({
  list: lazyPage(() => import('./list/clients-page.tsx'), 'ClientsPage'),
  record: lazyPage(() => import('./detail/client-page.tsx'), 'ClientPage'),
  tabs: {
    '/': lazyPage(() => import('./detail/overview-tab.tsx'), 'OverviewTab'),
    '/configuration': lazyPage(() => import('./detail/configuration-tab.tsx'), 'ConfigurationTab'),
    '/developer': lazyPage(() => import('./detail/developer-tab.tsx'), 'DeveloperTab'),
    '/history': timelineTab,
    '/json': jsonTab,
    '/edit': lazyPage(() => import('./form/client-edit.tsx'), 'ClientEdit'),
  },
});
