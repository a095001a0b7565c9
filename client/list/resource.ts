import type { FetchQueryOptions } from '@tanstack/react-query';
import type { Capability } from '../../shared/capabilities.ts';
import type { Icon } from '../ui/shell-icons.tsx';
import type { PagedSearch, ParamsOf } from './cursor-list.ts';

/** What a line of a timeline can be about; the address of the tab may name one. */
const TIMELINE_KINDS = ['trail', 'record', 'sessions', 'messages', 'consents', 'locks'] as const;
export type TimelineKind = (typeof TIMELINE_KINDS)[number];

/** Search parameters of a record's page that has a timeline. */
export const timelineSearch = ({ kind }: Record<string, unknown>): { kind?: TimelineKind | undefined } => ({
  kind: TIMELINE_KINDS.find((known) => known === kind),
});

/** A page in the navigation, the palette, the overview and the `g` keys. */
export interface Page {
  to: string;
  label: string;
  /** One sentence: what an operator does here. */
  about: string;
  icon: Icon;
  /** Pressed after `g`. */
  letter: string;
  /** Any one of these suffices; without one, the page is shown with a lock. */
  needs: readonly Capability[];
  /** The palette's search of this page for the typed text. */
  find?: Find;
  /** A second search, offered below the first unless it is likelier to be meant. */
  alsoFind?: Find & { isLikelier: (text: string) => boolean };
}

export interface Find {
  label: string;
  search: (text: string) => Record<string, unknown>;
  /** How the palette finds the one record that the text refers to, to open it directly. */
  directly?: 'identity' | 'beginning';
  /** Label if `isSure`, that is, if the text can hardly mean anything else; the command then comes first. */
  open?: string;
  isSure?: (text: string) => boolean;
}

/** Names of a resource in texts. */
export interface ResourceName {
  /** In a sentence: "identity". */
  one: string;
  many: string;
  /** In headings: "Identity". */
  title: string;
}

export type Query = Pick<FetchQueryOptions, 'queryKey'>;

/** Parses the search parameters of a URL. */
export type ParseSearch<Search> = (search: Record<string, unknown>) => Search;

/**
 * A resource as the app knows it before any of its pages has loaded: its routes and navigation entry are made from it.
 * It is part of the first script, so whatever only a page needs belongs in that page's module.
 */
export interface ResourceDefinition<
  Path extends string = string,
  Search extends PagedSearch = PagedSearch,
  RecordSearch extends object = object,
> extends Page,
    ResourceName {
  to: Path;
  needs: readonly [Capability];
  /** For the record's page, if it needs another capability than the list. */
  recordNeeds?: Capability;
  /** Search parameters of the list, if it has any. */
  search?: ParseSearch<Search>;
  recordSearch?: ParseSearch<RecordSearch>;
  /** Queries started in parallel with loading a page's code, which makes them part of the first script. */
  preload?: {
    list: (params: ParamsOf<Search>) => readonly Query[];
    record: (id: string) => Query | undefined;
    /** The list is requested before the session is known; the server refuses it if necessary. */
    beforeSession?: true;
  };
}

export const defineResource = <const Path extends string, Search extends PagedSearch, RecordSearch extends object>(
  definition: ResourceDefinition<Path, Search, RecordSearch>,
) => definition;
