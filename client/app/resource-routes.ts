import type { QueryClient } from '@tanstack/react-query';
import { createRootRouteWithContext, createRoute, Outlet, type RouteComponent } from '@tanstack/react-router';
import type { Capability } from '../../shared/capabilities.ts';
import { SEARCH_MAX_CHARACTERS } from '../../shared/identities.ts';
import { text } from '../../shared/json.ts';
import { mayRead, sessionQuery } from '../api/session.ts';
import { idInPath, idOfPath } from '../lib/encoding.ts';
import { type PagedSearch, pageParams, type ResourceDefinition } from '../list/resource.ts';
import { lazyPage } from '../ui/lazy-part.tsx';
import { SignedIn } from './shell.tsx';

export interface AppContext {
  queryClient: QueryClient;
}

export const root = createRootRouteWithContext<AppContext>()({ component: Outlet });

/** Parent of all pages that require a session, which loads in parallel with the page's data. */
export const signedIn = createRoute({
  getParentRoute: () => root,
  id: 'signed-in',
  loader: ({ context }) => {
    void context.queryClient.prefetchQuery(sessionQuery);
  },
  component: SignedIn,
});

/** A loader that starts these queries if the operator has the capability. */
export const loading =
  (capability: Capability, ...queries: readonly object[]) =>
  ({ context: { queryClient }, cause }: { context: AppContext; cause: 'preload' | 'enter' | 'stay' }): void => {
    if (cause !== 'preload' && mayRead(queryClient, capability))
      for (const query of queries) void queryClient.prefetchQuery(query as never);
  };

const none = () => ({}) as never;

const RecordTab = lazyPage(() => import('../record/tabs.tsx'), 'RecordTab');

const listRoute = <Path extends string, Search extends PagedSearch>(
  { to, needs, search: parse = none, preload }: ResourceDefinition<Path, Search>,
  component: RouteComponent,
) =>
  createRoute({
    getParentRoute: () => signedIn,
    path: to,
    validateSearch: strictSearch(parse),
    loaderDeps: ({ search }) => search,
    // A list page costs an upstream request and an audit record: never load it on hover or without permission.
    loader: ({ context: { queryClient }, deps, cause, location }) => {
      if (preload === undefined || cause === 'preload' || deps.invalid === 'q') return;
      if (!mayRead(queryClient, needs[0], preload.beforeSession)) return;
      for (const query of preload.list(pageParams(parse(deps), location.state.pages ?? [])))
        void queryClient.prefetchQuery(query);
    },
    component,
  });

const recordRoute = <Path extends string, Search extends object>(
  { to, needs, recordSearch = none, preload }: ResourceDefinition<Path, PagedSearch, Search>,
  component: RouteComponent,
) =>
  createRoute({
    getParentRoute: () => signedIn,
    path: `${to}/$id`,
    params: {
      parse: ({ id }: { id: string }) => ({ id: idOfPath(id) }),
      stringify: ({ id }: { id: string }) => ({ id: idInPath(id) }),
    } as object,
    validateSearch: strictSearch(recordSearch),
    loader: ({ context: { queryClient }, cause, params }) => {
      if (cause === 'preload' || !mayRead(queryClient, needs[0])) return;
      const query = preload?.record((params as { id: string }).id);
      if (query !== undefined) void queryClient.prefetchQuery(query);
    },
    component,
  });

/**
 * The routes of a resource: list, record page and tabs.
 * @param list a component with a `ListPage`
 * @param page from `recordPage`
 * @param tabs paths of the tabs, which the record page renders
 */
export function resourceRoutes<
  Path extends string,
  Search extends PagedSearch,
  RecordSearch extends object,
  const Tab extends string,
>(
  resource: ResourceDefinition<Path, Search, RecordSearch>,
  list: RouteComponent,
  page: RouteComponent,
  tabs: readonly Tab[],
) {
  const record = recordRoute<Path, RecordSearch>(resource as never, page);
  const tabRoute = <One extends Tab>(path: One) =>
    createRoute({ getParentRoute: () => record, path, component: RecordTab });
  return {
    list: listRoute<Path, Search>(resource as never, list),
    record,
    tabs: Object.fromEntries(tabs.map((path) => [path, tabRoute(path)])) as unknown as {
      [One in Tab]: ReturnType<typeof tabRoute<One>>;
    },
  };
}

export const optionalText = (value: unknown): string | undefined =>
  typeof value === 'string' && value !== '' ? value : undefined;

const FILTERS =
  'state schema verified created updated session sort status recipient active device city lat lng unknown';

/**
 * For `validateSearch` of every route: drops all parameters that `parse` does not return. The router would keep unknown
 * names and invalid values, which would end up in requests. `invalid` names the filters among them, for the page.
 * @param parse returns the accepted parameters, with defaults for the rest
 */
export const strictSearch = <Parse extends (search: Record<string, unknown>) => object>(parse: Parse): Parse =>
  ((search) => {
    const accepted: Record<string, unknown> = { ...parse(search) };
    const before = text(search.invalid).split(',');
    const dropped = (name: string): string => (accepted[name] === undefined ? text(search[name]).trim() : '');
    const isInvalid = (name: string): boolean => before.includes(name) || !['', '-created'].includes(dropped(name));
    const isTooLong = before.includes('q') || [...dropped('q')].length > SEARCH_MAX_CHARACTERS;
    const invalid = isTooLong ? 'q' : FILTERS.split(' ').filter(isInvalid).join() || undefined;
    return { ...absent(Object.keys(search)), ...accepted, invalid };
  }) as Parse;

const absent = (names: readonly string[]) => Object.fromEntries(names.map((name) => [name, undefined]));
