import type { Router } from 'express';
import {
  type DashboardLayout,
  GRID_COLUMNS,
  GRID_ROWS_MAX,
  WIDGET_ID_MAX_CHARACTERS,
  WIDGETS_MAX,
  type WidgetPlacement,
} from '../../../shared/dashboard.ts';
import type { Database } from '../../db/database.ts';
import { bodyFields, labelField } from '../../http/bodies.ts';
import { badRequest } from '../../http/errors.ts';
import type { SessionVerifier } from '../../session/session-verifier.ts';
import { type OwnDocuments, ownDocumentRouter, ownDocuments } from './own-documents.ts';

/**
 * Parses the body of `PUT /api/dashboard/layout`; `{"layout": null}` resets to the default.
 * @throws 400 that names the field
 */
export function parseLayout(body: unknown): DashboardLayout {
  const { layout } = bodyFields(body, ['layout']);
  if (layout === null) return { layout: null };
  if (layout === undefined) throw badRequest('layout', 'is required');
  const fields = bodyFields(layout, ['widgets', 'hidden'], 'layout');
  const widgets = list('layout.widgets', fields.widgets).map(parseWidget);
  const hidden = list('layout.hidden', fields.hidden).map((id, index) => widgetId(`layout.hidden[${index}]`, id));
  refuseTwice(
    'layout.widgets',
    widgets.map(({ id }) => id),
  );
  refuseTwice('layout.hidden', hidden);
  return { layout: { widgets, hidden } };
}

function list(field: string, value: unknown): unknown[] {
  if (!Array.isArray(value)) throw badRequest(field, 'must be a list');
  if (value.length > WIDGETS_MAX) throw badRequest(field, `must have at most ${WIDGETS_MAX} entries`);
  return value;
}

function parseWidget(value: unknown, index: number): WidgetPlacement {
  const field = `layout.widgets[${index}]`;
  const fields = bodyFields(value, ['id', 'x', 'y', 'w', 'h'], field);
  const w = whole(`${field}.w`, fields.w, 1, GRID_COLUMNS);
  const h = whole(`${field}.h`, fields.h, 1, GRID_ROWS_MAX);
  return {
    id: widgetId(`${field}.id`, fields.id),
    x: whole(`${field}.x`, fields.x, 0, GRID_COLUMNS - w),
    y: whole(`${field}.y`, fields.y, 0, GRID_ROWS_MAX - h),
    w,
    h,
  };
}

const widgetId = (field: string, value: unknown): string => labelField(field, value, WIDGET_ID_MAX_CHARACTERS);

function whole(field: string, value: unknown, min: number, max: number): number {
  if (typeof value !== 'number' || !Number.isInteger(value) || value < min || value > max)
    throw badRequest(field, `must be a whole number from ${min} to ${max}`);
  return value;
}

function refuseTwice(field: string, ids: readonly string[]): void {
  if (new Set(ids).size !== ids.length) throw badRequest(field, 'must not name a widget twice');
}

/** Of a request: twice what the largest layout takes. */
export const LAYOUT_MAX_KIB = 64;

/** Each operator's layout of the overview. @param now milliseconds since the epoch */
export const layoutStore = (database: Database, now: () => number): OwnDocuments<DashboardLayout> =>
  ownDocuments({ database, table: 'dashboard_layouts', member: 'layout', initial: null, now });

/** `GET` and `PUT /api/dashboard/layout`. */
export const layoutRouter = (layouts: OwnDocuments<DashboardLayout>, verify: SessionVerifier): Router =>
  ownDocumentRouter({ documents: layouts, parse: parseLayout, verify });
