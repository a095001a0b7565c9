import { Link, type LinkProps } from '@tanstack/react-router';
import { TabRow, tabClass } from './tab-row.tsx';

/** The tabs of a detail page, which are its child routes. @param of the page's path, which is also the first tab's */
export const DetailTabs = (props: {
  label: string;
  of: string;
  id: string;
  tabs: readonly (readonly [path: string, label: string])[];
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
        preload={false}
      >
        {label}
      </Link>
    ))}
  </TabRow>
);
