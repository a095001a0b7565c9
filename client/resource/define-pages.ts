import type { RouteComponent } from '@tanstack/react-router';
import { lazyPage } from '../ui/loading/lazy-part.tsx';

export type Tabs = Readonly<Record<string, RouteComponent>>;

/** A resource's pages, all lazy. They import its definition, never the reverse: that is part of the first script. */
export interface ResourcePages<RecordTabs extends Tabs = Tabs> {
  /** Made by `listPage`. */
  list: RouteComponent;
  /** Made by `recordPage`. */
  record: RouteComponent;
  /** Tabs of the record's page, by path relative to it. */
  tabs: RecordTabs;
}

export const definePages = <RecordTabs extends Tabs>(pages: ResourcePages<RecordTabs>) => pages;

/** Shows the `json` of `recordPage`. */
export const jsonTab = lazyPage(() => import('./detail/json-tab.tsx'), 'JsonTab');

/** Shows the `timeline` of `recordPage`. */
export const timelineTab = lazyPage(() => import('./timeline/timeline-tab.tsx'), 'TimelineTab');
