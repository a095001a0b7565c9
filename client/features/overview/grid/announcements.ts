import { GRID_COLUMNS, type WidgetPlacement } from '../../../../shared/dashboard.ts';
import type { Direction, Step } from './steps.ts';

/** `columns 4 to 6, row 2`, counted from 1. */
export const formatPlace = ({ x, y, w }: WidgetPlacement): string =>
  w === GRID_COLUMNS
    ? `all columns, row ${y + 1}`
    : w === 1
      ? `column ${x + 1}, row ${y + 1}`
      : `columns ${x + 1} to ${x + w}, row ${y + 1}`;

/** `3 columns wide, 2 rows high` */
export const formatSize = ({ w, h }: WidgetPlacement): string =>
  `${w} ${w === 1 ? 'column' : 'columns'} wide, ${h} ${h === 1 ? 'row' : 'rows'} high`;

export const formatMoved = (title: string, placement: WidgetPlacement): string =>
  `${title} moved to ${formatPlace(placement)}.`;

export const formatResized = (title: string, placement: WidgetPlacement): string =>
  `${title} is ${formatSize(placement)}.`;

export const formatAdded = (title: string, placement: WidgetPlacement): string =>
  `${title} added at ${formatPlace(placement)}, ${formatSize(placement)}.`;

export const formatOrder = (title: string, position: number, of: number): string =>
  `${title} is widget ${position} of ${of}.`;

const EDGES: Record<Direction, string> = {
  left: 'at the left edge',
  right: 'at the right edge',
  up: 'at the top',
  down: 'at the bottom',
};
const LIMITS: Record<Direction, string> = {
  left: 'cannot be narrower',
  right: 'cannot be wider',
  up: 'cannot be shorter',
  down: 'cannot be taller',
};

/** Why a step had no effect. */
export const formatRefused = (title: string, { act, direction }: Step): string =>
  act === 'move' ? `${title} is ${EDGES[direction]} already.` : `${title} ${LIMITS[direction]}.`;
