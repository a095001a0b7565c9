import { createRoute } from '@tanstack/react-router';
import { idInPath, idOfPath } from '../../lib/id-in-path.ts';
import { lazyPage } from '../../ui/loading/lazy-part.tsx';
import { signedIn } from './frame.ts';

// These pages ask for their data themselves: their questions would else stand in what is loaded before any page.
export const schemas = createRoute({
  getParentRoute: () => signedIn,
  path: '/schemas',
  component: lazyPage(() => import('../../features/schemas/list/schemas-page.tsx'), 'SchemasPage'),
});

export const schema = createRoute({
  getParentRoute: () => signedIn,
  path: '/schemas/$id',
  params: { parse: ({ id }) => ({ id: idOfPath(id) }), stringify: ({ id }) => ({ id: idInPath(id) }) },
  component: lazyPage(() => import('../../features/schemas/detail/schema-page.tsx'), 'SchemaPage'),
});

export const schemaTabs = [
  createRoute({
    getParentRoute: () => schema,
    path: '/',
    component: lazyPage(() => import('../../features/schemas/detail/traits-tab.tsx'), 'TraitsTab'),
  }),
  createRoute({
    getParentRoute: () => schema,
    path: '/form',
    component: lazyPage(() => import('../../features/schemas/detail/form-tab.tsx'), 'FormTab'),
  }),
  createRoute({
    getParentRoute: () => schema,
    path: '/json',
    component: lazyPage(() => import('../../features/schemas/detail/json-tab.tsx'), 'JsonTab'),
  }),
] as const;
