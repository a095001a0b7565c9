import type { FetchQueryOptions } from '@tanstack/react-query';
import type { Capability } from '../../shared/capabilities.ts';
import type { Page } from '../ui/pages.ts';
import type { PagedSearch, ParamsOf } from './cursor-list.ts';

/** Names of a resource in the UI. */
export interface ResourceName {
  /** In a sentence: "identity". */
  one: string;
  many: string;
  /** In headings: "Identity". */
  title: string;
}

export type Query = Pick<FetchQueryOptions, 'queryKey'>;

export type ParseSearch<Search> = (search: Record<string, unknown>) => Search;

/**
 * Defines the routes and the navigation entry of a resource. Part of the first script, so code for a single page
 * belongs in that page's module.
 */
export interface ResourceDefinition<
  Path extends string = string,
  Search extends PagedSearch = PagedSearch,
  RecordSearch extends object = object,
> extends Page,
    ResourceName {
  to: Path;
  needs: readonly [Capability];
  /** For the record page, if it requires a different capability. */
  recordNeeds?: Capability;
  /** Search parameters of the list, if it has any. */
  search?: ParseSearch<Search>;
  recordSearch?: ParseSearch<RecordSearch>;
  /** Queries that start in parallel with loading the page's code, so they are part of the first script. */
  preload?: {
    list: (params: ParamsOf<Search>) => readonly Query[];
    record: (id: string) => Query | undefined;
    /** Requests the list before the session is known; the server refuses the request if necessary. */
    beforeSession?: true;
  };
}

export const defineResource = <const Path extends string, Search extends PagedSearch, RecordSearch extends object>(
  definition: ResourceDefinition<Path, Search, RecordSearch>,
) => definition;
