import type { FetchQueryOptions } from '@tanstack/react-query';
import type { Capability } from '../../shared/capabilities.ts';
import type { Icon } from '../ui/shell-icons.tsx';
import type { PagedSearch, ParamsOf } from './cursor-list.ts';

/** Kinds of timeline entries; the URL of the tab may name one. */
const TIMELINE_KINDS = ['trail', 'record', 'sessions', 'messages', 'consents', 'locks'] as const;
export type TimelineKind = (typeof TIMELINE_KINDS)[number];

/** Search parameters of a record page with a timeline. */
export const timelineSearch = ({ kind }: Record<string, unknown>): { kind?: TimelineKind | undefined } => ({
  kind: TIMELINE_KINDS.find((known) => known === kind),
});

/** A page in the navigation, the palette, the overview and the `g` shortcuts. */
export interface Page {
  to: string;
  label: string;
  /** One sentence: the purpose of the page. */
  about: string;
  icon: Icon;
  /** The key after `g`. */
  letter: string;
  /** Any one of these suffices; without any, the page appears with a lock. */
  needs: readonly Capability[];
  /** How the palette searches this page. */
  find?: Find;
  /** A second search, listed below the first unless it is more likely. */
  alsoFind?: Find & { isLikelier: (text: string) => boolean };
}

export interface Find {
  label: string;
  search: (text: string) => Record<string, unknown>;
  /** How the palette finds a single record, to open it directly. */
  directly?: 'identity' | 'beginning';
  /** Label if `isSure`: the text has only one likely meaning, so the command comes first. */
  open?: string;
  isSure?: (text: string) => boolean;
}

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
