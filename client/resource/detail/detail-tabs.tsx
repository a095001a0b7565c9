import { Link, type LinkProps } from '@tanstack/react-router';
import { TabRow, tabClass } from './tab-row.tsx';

/** A tab, which is a route of its own. The first one stands at the resource's own address. */
export interface DetailTab {
  to: Extract<LinkProps['to'], `/${string}/$id${'' | `/${string}`}`>;
  label: string;
}

/** The tabs of a detail page: one more line and one more route for one more tab. */
export const DetailTabs = (props: { label: string; id: string; tabs: readonly DetailTab[] }) => (
  <TabRow label={props.label}>
    {props.tabs.map(({ to, label }, index) => (
      <Link
        key={to}
        to={to}
        params={{ id: props.id }}
        // The way back to the list stays with the history entry.
        state={(current) => current}
        activeOptions={{ exact: index === 0, includeSearch: false }}
        className={tabClass}
        data-keeps-focus
        preload={false}
      >
        {label}
      </Link>
    ))}
  </TabRow>
);
