import type { WidgetPlacement } from '../../../../shared/dashboard.ts';
import type { WidgetId } from './catalogue.ts';

const at = (id: WidgetId, x: number, y: number, w: number, h: number): WidgetPlacement => ({ id, x, y, w, h });

/** The default placements. */
export const STANDARD_LAYOUT: readonly WidgetPlacement[] = [
  at('identities-total', 0, 0, 3, 2),
  at('active-sessions', 3, 0, 3, 2),
  at('verification-rate', 6, 0, 3, 2),
  at('locked-accounts', 9, 0, 3, 2),
  at('sign-ins', 0, 2, 8, 4),
  at('services', 8, 2, 4, 4),
  at('session-map', 0, 6, 8, 6),
  at('recent-audit', 8, 6, 4, 4),
  at('posture', 8, 10, 4, 2),
  at('new-identities', 0, 12, 6, 4),
  at('peak-hours', 6, 12, 6, 4),
  at('identities-by-schema', 0, 16, 6, 4),
  at('clients-by-grant', 6, 16, 6, 4),
];

/** The same without gaps, for roles that are offered none of the missing widgets. */
export const VIEWER_LAYOUT: readonly WidgetPlacement[] = [
  at('identities-total', 0, 0, 4, 2),
  at('active-sessions', 4, 0, 4, 2),
  at('verification-rate', 8, 0, 4, 2),
  at('sign-ins', 0, 2, 8, 4),
  at('services', 8, 2, 4, 4),
  at('session-map', 0, 6, 8, 6),
  at('identities-by-schema', 8, 6, 4, 3),
  at('clients-by-grant', 8, 9, 4, 3),
  at('new-identities', 0, 12, 6, 4),
  at('peak-hours', 6, 12, 6, 4),
];

/** Default placements of the widgets that a role may see. */
export const standardFor = (offered: readonly { id: string }[]): readonly WidgetPlacement[] =>
  offered.every(({ id }) => VIEWER_LAYOUT.some((placement) => placement.id === id)) ? VIEWER_LAYOUT : STANDARD_LAYOUT;
