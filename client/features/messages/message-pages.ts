import { definePages, jsonTab } from '../../resource/define-pages.ts';
import { lazyPage } from '../../ui/loading/lazy-part.tsx';

export const MESSAGE_PAGES = definePages({
  list: lazyPage(() => import('./list/messages-page.tsx'), 'MessagesPage'),
  record: lazyPage(() => import('./detail/message-page.tsx'), 'MessagePage'),
  tabs: {
    '/': lazyPage(() => import('./detail/overview-tab.tsx'), 'OverviewTab'),
    '/json': jsonTab,
  },
});
