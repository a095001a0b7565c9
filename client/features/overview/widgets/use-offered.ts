import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { can, type Role } from '../../../../shared/capabilities.ts';
import { layoutQuery, type TaggedLayout } from '../../../api/dashboard-layout.ts';
import { viewsQuery } from '../../../api/views.ts';
import { IDENTITIES } from '../destinations.ts';
import { offeredTo, type Widget } from './catalogue.ts';
import { isViewWidget, viewOf, viewWidgets } from './view-widgets.ts';

const NONE: readonly string[] = [];
const placedViews = ({ layout }: TaggedLayout): string[] =>
  layout?.widgets.map(({ id }) => id).filter(isViewWidget) ?? [];

/** The widgets that an operator may see. Own views are read only if one is a widget, or may become one. */
export function useOffered(role: Role, isArranging: boolean): Widget[] {
  const withViews = can(role, IDENTITIES.needs);
  const { data: placed = NONE } = useQuery({ ...layoutQuery, select: placedViews });
  const { data: stored } = useQuery({
    ...viewsQuery,
    enabled: withViews && (isArranging || placed.filter(isViewWidget).some((id) => viewOf(id, []) === undefined)),
  });
  const own = stored?.views;
  return useMemo(
    () => [...offeredTo(role), ...(withViews ? viewWidgets(own, placed) : [])],
    [role, withViews, own, placed],
  );
}
