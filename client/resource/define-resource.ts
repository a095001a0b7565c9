import type { FetchQueryOptions } from '@tanstack/react-query';
import type { Capability } from '../../shared/capabilities.ts';
import type { Icon } from '../ui/icon.tsx';
import type { PagedSearch, ParamsOf } from './list/page-step.ts';

/** A page in the navigation, the palette, the overview and the `g` keys. */
export interface Page {
  to: string;
  label: string;
  /** One sentence: what an operator does here. */
  about: string;
  icon: Icon;
  /** Pressed after `g`. */
  letter: string;
  /** One of these; who has none sees it with a lock. */
  needs: readonly Capability[];
  /** What the palette offers to do with the text typed into it. */
  find?: Find;
  /** What else it offers to do with it, below the first unless it is the likelier. */
  alsoFind?: Find & { isLikelier: (text: string) => boolean };
}

export interface Find {
  label: string;
  search: (text: string) => Record<string, unknown>;
  /** How the palette finds the one thing that the text names, to open it at once; it brings the code for it along. */
  directly?: 'identity' | 'beginning';
  /** What it is called, and offered first, when the text can hardly mean anything else. */
  open?: string;
  isSure?: (text: string) => boolean;
}

/** What a resource is called in sentences and headings. */
export interface ResourceName {
  /** In a sentence: "identity". */
  one: string;
  many: string;
  /** At the head of a page or a column: "Identity". */
  title: string;
}

export type Query = Pick<FetchQueryOptions, 'queryKey'>;

/** Search parameters of an address, as its route understands them. */
export type ParseSearch<Search> = (search: Record<string, unknown>) => Search;

/**
 * A resource as the app knows it before any of its pages is loaded: its routes and its place in the navigation follow
 * from it. It is part of the first script, so whatever a page alone needs stands in the module that the page loads.
 */
export interface ResourceDefinition<
  Path extends string = string,
  Search extends PagedSearch = PagedSearch,
  RecordSearch extends object = object,
> extends Page,
    ResourceName {
  to: Path;
  needs: readonly [Capability];
  /** For the page of one, if it takes another capability than the list. */
  recordNeeds?: Capability;
  /** Of the list; absent for one that takes none. */
  search?: ParseSearch<Search>;
  recordSearch?: ParseSearch<RecordSearch>;
  /** Asked for beside the code of a page. The queries are then part of the first script as well. */
  preload?: {
    list: (params: ParamsOf<Search>) => readonly Query[];
    record: (id: string) => Query | undefined;
    /** The list is asked for before it is known who asks: the service refuses it where it must. */
    beforeSession?: true;
  };
}

export const defineResource = <const Path extends string, Search extends PagedSearch, RecordSearch extends object>(
  definition: ResourceDefinition<Path, Search, RecordSearch>,
) => definition;
