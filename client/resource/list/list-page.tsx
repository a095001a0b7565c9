import { type QueryKey, type UseQueryOptions, useQuery } from '@tanstack/react-query';
import { useSearch } from '@tanstack/react-router';
import type { ComponentType, ReactNode } from 'react';
import type { CountIn } from '../../api/counted.ts';
import type { CursorPage } from '../../api/cursor-page.ts';
import { useCan } from '../../api/session.ts';
import { ClosedPage } from '../../ui/feedback/closed-page.tsx';
import { PageHeading } from '../../ui/page-heading.tsx';
import type { ResourceDefinition } from '../define-resource.ts';
import type { Columns } from './column.tsx';
import { TotalAtEnd } from './page-line.tsx';
import { type PagedSearch, type ParamsOf, pageParams, usePagesWalked } from './page-step.ts';
import { type ListTexts, ResourceList } from './resource-list.tsx';
import { resourceRows } from './resource-rows.ts';
import type { ShownPage } from './shown-page.ts';
import { type CursorList, useCursorList } from './use-cursor-list.ts';

type PageQuery<T, Search extends PagedSearch, Raw, Key extends QueryKey> = (
  params: ParamsOf<Search>,
) => UseQueryOptions<Raw, Error, CursorPage<T>, Key>;

/** The part of a list page that is specific to its resource. */
interface ListPart<T, Search extends PagedSearch, Name extends string, Raw, Key extends QueryKey>
  extends Omit<ListTexts<T, ParamsOf<Search>>, 'search'> {
  /** Above the list, for example <SearchFields>. */
  search: ReactNode | ((shown: ShownPage<T, ParamsOf<Search>> | undefined) => ReactNode);
  /** Of a list that is newest first, a lazy <NewerRowsButton>. */
  newer?: ComponentType<{ list: CursorList<T, ParamsOf<Search>> }>;
  /** Below the heading. */
  about: string;
  /** Beside the heading. */
  pageActions?: ComponentType;
  query: PageQuery<T, Search, Raw, Key>;
  /** Key prefix of every page's query. */
  pagesKey: QueryKey;
  /** How many there are, of a list that is not counted by its service. */
  countIn?: CountIn;
  /** Name of a row, for labels: "Select ada@example.org". */
  nameOf: (row: T) => string;
  columns: Columns<T, Name>;
}

/** Makes the page of a list, for the `list` of `definePages`. */
export function listPage<
  T extends { id: string },
  Search extends PagedSearch,
  Name extends string,
  Raw,
  Key extends QueryKey,
>(resource: ResourceDefinition<string, Search>, part: ListPart<T, Search, Name, Raw, Key>): ComponentType {
  const { about, pageActions: Actions, newer: Newer } = part;
  const rows = resourceRows(part);
  const actions = Actions && <Actions />;
  function List() {
    const list = useResourceList(resource, part);
    return (
      <ResourceList
        {...part}
        resource={resource}
        list={list}
        rows={rows}
        search={typeof part.search === 'function' ? part.search(list.shown) : part.search}
        newer={Newer && <Newer list={list} />}
        total={<TotalAtEnd shown={list.shown} what={resource.many} countIn={part.countIn} />}
      />
    );
  }
  return function ListPage() {
    const may = useCan();
    if (!may(resource.needs[0])) return <ClosedPage title={resource.label} about={about} actions={actions} />;
    return (
      <>
        <PageHeading title={resource.label} about={about} actions={actions} />
        <List />
      </>
    );
  };
}

/** The list for the current URL. @param pagesKey key prefix of every page's query */
export function useResourceList<T, Search extends PagedSearch, Raw, Key extends QueryKey>(
  { search: parse }: Pick<ResourceDefinition<string, Search>, 'search'>,
  list: { query: PageQuery<T, Search, Raw, Key>; pagesKey: QueryKey },
): CursorList<T, ParamsOf<Search>> {
  const search = parse?.(useSearch({ strict: false })) ?? ({} as Search);
  const params = pageParams(search, usePagesWalked());
  return useCursorList({ params, result: useQuery(list.query(params)), pagesKey: list.pagesKey });
}
