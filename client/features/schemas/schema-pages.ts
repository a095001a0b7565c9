import { definePages, jsonTab } from '../../resource/define-pages.ts';
import { lazyPage } from '../../ui/loading/lazy-part.tsx';

export const SCHEMA_PAGES = definePages({
  list: lazyPage(() => import('./list/schemas-page.tsx'), 'SchemasPage'),
  record: lazyPage(() => import('./detail/schema-page.tsx'), 'SchemaPage'),
  tabs: {
    '/': lazyPage(() => import('./detail/traits-tab.tsx'), 'TraitsTab'),
    '/form': lazyPage(() => import('./detail/form-tab.tsx'), 'FormTab'),
    '/json': jsonTab,
  },
});
