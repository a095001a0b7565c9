import { type AnyRoute, createRoute, type RouteComponent } from '@tanstack/react-router';
import { idInPath, idOfPath } from '../../lib/id-in-path.ts';
import type { ResourcePages, Tabs } from '../../resource/define-pages.ts';
import type { ResourceDefinition } from '../../resource/define-resource.ts';
import { type PagedSearch, pageParams } from '../../resource/list/page-step.ts';
import { strictSearch } from '../search-params.ts';
import { mayRead, signedIn } from './frame.ts';

const none = () => ({}) as never;

const listRoute = <Path extends string, Search extends PagedSearch>(
  { to, needs, search: parse = none, preload }: ResourceDefinition<Path, Search>,
  component: RouteComponent,
) =>
  createRoute({
    getParentRoute: () => signedIn,
    path: to,
    validateSearch: strictSearch(parse),
    loaderDeps: ({ search }) => search,
    // A page of a list costs an upstream request and an audit record: not on hover, nor without permission.
    loader: ({ context: { queryClient }, deps, cause, location }) => {
      if (preload === undefined || cause === 'preload') return;
      if (!mayRead(queryClient, needs[0], preload.beforeSession)) return;
      for (const query of preload.list(pageParams(parse(deps), location.state.pages ?? [])))
        void queryClient.prefetchQuery(query);
    },
    component,
  });

const recordRoute = <Path extends string, Search extends object>(
  { to, needs, recordNeeds = needs[0], recordSearch = none, preload }: ResourceDefinition<Path, PagedSearch, Search>,
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
      if (cause === 'preload' || !mayRead(queryClient, recordNeeds)) return;
      const query = preload?.record((params as { id: string }).id);
      if (query !== undefined) void queryClient.prefetchQuery(query);
    },
    component,
  });

const tabRoute = <Parent extends AnyRoute, Path extends string>(
  parent: Parent,
  path: Path,
  component: RouteComponent,
) => createRoute({ getParentRoute: () => parent, path, component });

/** The routes of a resource: its list, its record page and that page's tabs. */
export function resourceRoutes<
  Path extends string,
  Search extends PagedSearch,
  RecordSearch extends object,
  RecordTabs extends Tabs,
>(resource: ResourceDefinition<Path, Search, RecordSearch>, pages: ResourcePages<RecordTabs>) {
  const record = recordRoute<Path, RecordSearch>(resource as never, pages.record);
  const tabs = Object.entries(pages.tabs).map(([path, component]) => [path, tabRoute(record, path, component)]);
  return {
    list: listRoute<Path, Search>(resource as never, pages.list),
    record,
    tabs: Object.fromEntries(tabs) as {
      [Tab in keyof RecordTabs & string]: ReturnType<typeof tabRoute<typeof record, Tab>>;
    },
  };
}
