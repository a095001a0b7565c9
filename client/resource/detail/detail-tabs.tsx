import { Link, type LinkProps } from '@tanstack/react-router';
import classes from './detail-tabs.module.css';
import { TabRow, tabClass } from './tab-row.tsx';

/** The tabs of a detail page, which are its child routes. @param of the page's path, which is also the first tab's */
/** How many things a tab has, by its path; its room is kept while that is not known. */
export type TabCounts = Readonly<Record<string, string | undefined>>;

export const DetailTabs = (props: {
  label: string;
  of: string;
  id: string;
  tabs: readonly (readonly [path: string, label: string])[];
  counts: TabCounts;
}) => (
  <TabRow label={props.label}>
    {props.tabs.map(([path, label], index) => (
      <Link
        key={path}
        {...({ to: `${props.of}${path}`, params: { id: props.id } } as LinkProps)}
        // Keeps the way back to the list, which is part of the history entry.
        state={(current) => current}
        activeOptions={{ exact: index === 0, includeSearch: false }}
        className={tabClass}
        data-keeps-focus
        aria-description={props.counts[path]}
        preload={false}
      >
        {label}
        {path in props.counts && (
          <span className={classes.count} aria-hidden>
            {props.counts[path]}
          </span>
        )}
      </Link>
    ))}
  </TabRow>
);
