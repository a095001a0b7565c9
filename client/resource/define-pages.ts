import type { RouteComponent } from '@tanstack/react-router';
import { lazyPage } from '../ui/loading/lazy-part.tsx';

export type Tabs = Readonly<Record<string, RouteComponent>>;

/** The modules of a resource's pages, each of which arrives when it is needed. They know their definition, not it them. */
export interface ResourcePages<RecordTabs extends Tabs = Tabs> {
  /** Made by `listPage`. */
  list: RouteComponent;
  /** Made by `recordPage`. */
  record: RouteComponent;
  /** What stands below the header of a record, by the rest of its path. */
  tabs: RecordTabs;
}

export const definePages = <RecordTabs extends Tabs>(pages: ResourcePages<RecordTabs>) => pages;

/** A tab that shows the record as its page's `json` says. */
export const jsonTab = lazyPage(() => import('./detail/json-tab.tsx'), 'JsonTab');

/** A tab that shows what the audit trail says of it, by the page's `history`. */
export const historyTab = lazyPage(() => import('./detail/history-tab.tsx'), 'HistoryTab');
