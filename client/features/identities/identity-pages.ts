import { definePages, jsonTab, timelineTab } from '../../resource/define-pages.ts';
import { lazyPage } from '../../ui/loading/lazy-part.tsx';

export const IDENTITY_PAGES = definePages({
  list: lazyPage(() => import('./list/identities-page.tsx'), 'IdentitiesPage'),
  record: lazyPage(() => import('./detail/identity-page.tsx'), 'IdentityPage'),
  tabs: {
    '/': lazyPage(() => import('./detail/overview-tab.tsx'), 'OverviewTab'),
    '/traits': lazyPage(() => import('./detail/traits-tab.tsx'), 'TraitsTab'),
    '/credentials': lazyPage(() => import('./detail/credentials-tab.tsx'), 'CredentialsTab'),
    '/sessions': lazyPage(() => import('./detail/sessions-tab.tsx'), 'SessionsTab'),
    '/messages': lazyPage(() => import('./detail/messages-tab.tsx'), 'MessagesTab'),
    '/history': timelineTab,
    '/json': jsonTab,
    '/traits/edit': lazyPage(() => import('./form/identity-edit.tsx'), 'IdentityEdit'),
  },
});
