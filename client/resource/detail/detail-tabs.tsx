import { Link, type LinkProps } from '@tanstack/react-router';
import { TabRow, tabClass } from './tab-row.tsx';

/** The tabs of a detail page, which are routes below it. @param of the page's own path, at which the first one stands */
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
