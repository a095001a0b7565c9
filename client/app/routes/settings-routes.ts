import { createRoute } from '@tanstack/react-router';
import { SERVICES_EVERY_MS, servicesQuery } from '../../api/services.ts';
import { settingPagesQuery, socialSettingsQuery } from '../../api/settings.ts';
import { socialConnectionsQuery } from '../../api/social-connections.ts';
import { configurationQuery } from '../../features/system/configuration-query.ts';
import { lazyPage } from '../../ui/loading/lazy-part.tsx';
import { optionalText, strictSearch } from '../search-params.ts';
import { mayRead, signedIn } from './frame.ts';

export const connections = createRoute({
  getParentRoute: () => signedIn,
  path: '/connections',
  loader: ({ context }) => {
    if (!mayRead(context.queryClient, 'settings.read')) return;
    void context.queryClient.prefetchQuery(socialSettingsQuery);
    void context.queryClient.prefetchQuery(socialConnectionsQuery);
  },
  component: lazyPage(() => import('../../features/connections/connections-page.tsx'), 'ConnectionsPage'),
});

interface SettingsSearch {
  /** Filters of the list: text in the key, and category. */
  q?: string;
  category?: string;
  /** Open next to the list: a setting by its key, or an empty form. */
  key?: string;
  new?: 'true';
}

export const settings = createRoute({
  getParentRoute: () => signedIn,
  path: '/settings',
  validateSearch: strictSearch(
    (search): SettingsSearch => ({
      q: optionalText(search.q),
      category: optionalText(search.category),
      key: optionalText(search.key),
      ...(search.new === 'true' ? { new: 'true' } : {}),
    }),
  ),
  loaderDeps: ({ search: { q, category } }) => ({ q, category }),
  loader: ({ context, deps }) => {
    if (!mayRead(context.queryClient, 'settings.read', true)) return;
    void context.queryClient.prefetchInfiniteQuery(settingPagesQuery(deps));
  },
  component: lazyPage(() => import('../../features/settings/settings-page.tsx'), 'SettingsPage'),
});

export const system = createRoute({
  getParentRoute: () => signedIn,
  path: '/system',
  // Every check is a request to every upstream: not on hover.
  loader: ({ context, cause }) => {
    if (cause === 'preload') return;
    void context.queryClient.prefetchQuery(servicesQuery(SERVICES_EVERY_MS));
    if (mayRead(context.queryClient, 'configuration.read')) void context.queryClient.prefetchQuery(configurationQuery);
  },
  component: lazyPage(() => import('../../features/system/system-page.tsx'), 'SystemPage'),
});
