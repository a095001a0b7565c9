import { definePages, jsonTab } from '../../../client/resource/define-pages.ts';
import { lazyPage } from '../../../client/ui/loading/lazy-part.tsx';

export const PLANET_PAGES = definePages({
  list: lazyPage(() => import('./planets-page.tsx'), 'PlanetsPage'),
  record: lazyPage(() => import('./planet-page.tsx'), 'PlanetPage'),
  tabs: {
    '/': lazyPage(() => import('./overview-tab.tsx'), 'OverviewTab'),
    '/json': jsonTab,
  },
});
