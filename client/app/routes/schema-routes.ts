import { createRoute } from '@tanstack/react-router';
import { identitySchemaQuery, identitySchemasQuery } from '../../api/identity-schemas.ts';
import { statisticsQuery } from '../../api/statistics.ts';
import { idInPath, idOfPath } from '../../id-in-path.ts';
import { lazyPage } from '../../ui/lazy-part.tsx';
import { mayRead, signedIn } from './frame.ts';

export const schemas = createRoute({
  getParentRoute: () => signedIn,
  path: '/schemas',
  loader: ({ context, cause }) => {
    if (cause === 'preload' || !mayRead(context.queryClient, 'schemas.read')) return;
    void context.queryClient.prefetchQuery(identitySchemasQuery);
    void context.queryClient.prefetchQuery(statisticsQuery);
  },
  component: lazyPage(() => import('../../features/schemas/list/schemas-page.tsx'), 'SchemasPage'),
});

export const schema = createRoute({
  getParentRoute: () => signedIn,
  path: '/schemas/$id',
  params: { parse: ({ id }) => ({ id: idOfPath(id) }), stringify: ({ id }) => ({ id: idInPath(id) }) },
  loader: ({ context, cause, params }) => {
    if (cause === 'preload' || params.id === '' || !mayRead(context.queryClient, 'schemas.read')) return;
    void context.queryClient.prefetchQuery(identitySchemaQuery(params.id));
  },
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
