import { hash } from 'node:crypto';
import type { Request, Router } from 'express';
import {
  type DashboardLayout,
  GRID_COLUMNS,
  GRID_ROWS_MAX,
  type SavedView,
  type SavedViews,
  VIEW_ID,
  VIEW_NAME_MAX_CHARACTERS,
  VIEW_RESOURCES,
  VIEW_SEARCH_MAX_CHARACTERS,
  VIEWS_MAX,
  WIDGET_ID_MAX_CHARACTERS,
  WIDGETS_MAX,
  type WidgetPlacement,
} from '../../shared/dashboard.ts';
import type { Route } from '../app.ts';
import type { Context } from '../context.ts';
import type { Database } from '../db/database.ts';
import { bodyFields, labelField, textField } from '../http/bodies.ts';
import { ApiError, badRequest } from '../http/errors.ts';
import { ifMatch } from '../http/parameters.ts';
import { pathRoutes, sendJson } from '../http/response.ts';
import type { SessionVerifier } from '../session/session-verifier.ts';

/** Limits of request bodies: twice the size of the largest layout, and the size of the largest views. */
const LAYOUT_MAX_KIB = 64;
const VIEWS_MAX_KIB = 256;

/** `GET` and `PUT` of `/api/dashboard/layout` and `/api/dashboard/views`. */
export function ownDocumentRoutes({ database, clock, verify }: Context): Route[] {
  const layouts = ownDocumentRouter(layoutStore(database, clock.now), parseLayout, verify);
  const views = ownDocumentRouter(viewStore(database, clock.now), parseViews, verify);
  return [
    ['/api/dashboard/layout', 'layout.own', layouts, LAYOUT_MAX_KIB],
    ['/api/dashboard/views', 'views.own', views, VIEWS_MAX_KIB],
  ];
}

/** Each operator's layout of the overview. */
export const layoutStore = (database: Database, now: () => number) =>
  ownDocuments<DashboardLayout>({ database, table: 'dashboard_layouts', member: 'layout', initial: null, now });

/** Each operator's views. */
export const viewStore = (database: Database, now: () => number) =>
  ownDocuments<SavedViews>({ database, table: 'dashboard_views', member: 'views', initial: [], now });

/**
 * One document for each operator, which is read and replaced as a whole. Tags are strong entity tags (RFC 9110, section
 * 8.8.3).
 * @param options.table has the columns `identity_id`, `updated_at` and `member`
 * @param options.member the only member of a document; its value is stored as JSON
 * @param options.initial the value for an operator who has stored none
 */
function ownDocuments<Document extends object>(options: {
  database: Database;
  table: string;
  member: keyof Document & string;
  initial: unknown;
  now: () => number;
}) {
  const { database, table, member, now } = options;
  const initial = JSON.stringify(options.initial);
  const read = database.statement<{ text: string }>(`select ${member} as text from ${table} where identity_id = ?`);
  return {
    async find(identityId: string): Promise<{ document: Document; tag: string }> {
      const text = (await read.get(identityId))?.text ?? initial;
      return { document: { [member]: JSON.parse(text) } as Document, tag: tagOf(text) };
    },
    /**
     * @param isExpected called with the tag of the stored document, atomically with the write
     * @returns the new tag, or undefined if the stored document was not the expected one
     */
    save: (identityId: string, document: Document, isExpected: (tag: string) => boolean): Promise<string | undefined> =>
      database.transaction(async (trx) => {
        const own = { identity_id: identityId };
        const updated_at = new Date(now()).toISOString();
        // Insert a row first, so that it can be locked: of two concurrent first saves, the second one waits here.
        await trx(table)
          .insert({ ...own, [member]: initial, updated_at })
          .onConflict('identity_id')
          .merge(own);
        const stored: { text: string } | undefined = await trx(table).where(own).forUpdate().first({ text: member });
        if (!isExpected(tagOf(stored?.text ?? initial))) return undefined;
        const text = JSON.stringify(document[member]);
        await trx(table)
          .where(own)
          .update({ [member]: text, updated_at });
        return tagOf(text);
      }),
  };
}

const tagOf = (text: string): string => `"${hash('sha256', text, 'base64url').slice(0, 22)}"`;

/**
 * Verifies the session again as a second layer, so that the document always belongs to the identity in the cookie,
 * regardless of what precedes this router. A PUT with `If-Match` gets 412 if another tab has saved in the meantime;
 * without it, the last write wins.
 * @param parse validates the body of a PUT; throws 400
 */
export function ownDocumentRouter<Document extends object>(
  documents: ReturnType<typeof ownDocuments<Document>>,
  parse: (body: unknown) => Document,
  verify: SessionVerifier,
): Router {
  async function operatorOf(req: Request): Promise<string> {
    const session = await verify(req);
    if (typeof session === 'string') throw new ApiError('not_authenticated');
    return session.identityId;
  }

  return pathRoutes({
    'GET /': async (req, res) => {
      const { document, tag } = await documents.find(await operatorOf(req));
      sendJson(res, document, tag);
    },
    'PUT /': async (req, res) => {
      const operator = await operatorOf(req);
      const document = parse(req.body);
      const tag = await documents.save(operator, document, ifMatch(req.headers['if-match']));
      if (tag === undefined) throw new ApiError('precondition_failed');
      sendJson(res, document, tag);
    },
  });
}

/**
 * Parses the body of `PUT /api/dashboard/layout`; `{"layout": null}` resets to the default.
 * @throws 400 that names the field
 */
export function parseLayout(body: unknown): DashboardLayout {
  const { layout } = bodyFields(body, ['layout']);
  if (layout === null) return { layout: null };
  if (layout === undefined) throw badRequest('layout', 'is required');
  const fields = bodyFields(layout, ['widgets', 'hidden'], 'layout');
  const widgets = list('layout.widgets', fields.widgets, WIDGETS_MAX).map(parseWidget);
  const hidden = list('layout.hidden', fields.hidden, WIDGETS_MAX).map((id, index) =>
    labelField(`layout.hidden[${index}]`, id, WIDGET_ID_MAX_CHARACTERS),
  );
  const ids = widgets.map(({ id }) => id);
  refuseDuplicates('layout.widgets', ids, 'must not name a widget twice');
  refuseDuplicates('layout.hidden', hidden, 'must not name a widget twice');
  return { layout: { widgets, hidden } };
}

function parseWidget(value: unknown, index: number): WidgetPlacement {
  const field = `layout.widgets[${index}]`;
  const fields = bodyFields(value, ['id', 'x', 'y', 'w', 'h'], field);
  const integer = (name: 'x' | 'y' | 'w' | 'h', min: number, max: number): number => {
    const number = fields[name];
    if (typeof number !== 'number' || !Number.isInteger(number) || number < min || number > max)
      throw badRequest(`${field}.${name}`, `must be a whole number from ${min} to ${max}`);
    return number;
  };
  const w = integer('w', 1, GRID_COLUMNS);
  const h = integer('h', 1, GRID_ROWS_MAX);
  return {
    id: labelField(`${field}.id`, fields.id, WIDGET_ID_MAX_CHARACTERS),
    x: integer('x', 0, GRID_COLUMNS - w),
    y: integer('y', 0, GRID_ROWS_MAX - h),
    w,
    h,
  };
}

/** The characters that browsers do not escape in the query of an address. */
const QUERY = /^[!$-;=?-~]*$/;

/**
 * Parses the body of `PUT /api/dashboard/views`.
 * @throws 400 that names the field
 */
export function parseViews(body: unknown): SavedViews {
  const views = list('views', bodyFields(body, ['views']).views, VIEWS_MAX).map(parseView);
  const ids = views.map(({ id }) => id);
  refuseDuplicates('views', ids, 'must not use an id twice');
  return { views };
}

function parseView(value: unknown, index: number): SavedView {
  const field = `views[${index}]`;
  const fields = bodyFields(value, ['id', 'resource', 'name', 'search'], field);
  const resource = VIEW_RESOURCES.find((one) => one === fields.resource);
  if (resource === undefined) throw badRequest(`${field}.resource`, `must be one of ${VIEW_RESOURCES.join(', ')}`);
  const id = textField(`${field}.id`, fields.id);
  if (!VIEW_ID.test(id)) throw badRequest(`${field}.id`, 'must have 1 to 64 of the characters a-z, 0-9 and -');
  const name = labelField(`${field}.name`, fields.name, VIEW_NAME_MAX_CHARACTERS);
  const search = textField(`${field}.search`, fields.search);
  if (search.length > VIEW_SEARCH_MAX_CHARACTERS)
    throw badRequest(`${field}.search`, `must have at most ${VIEW_SEARCH_MAX_CHARACTERS} characters`);
  if (!QUERY.test(search))
    throw badRequest(`${field}.search`, 'must be the query of an address, with other characters escaped');
  return { id, resource, name, search };
}

function list(field: string, value: unknown, max: number): unknown[] {
  if (!Array.isArray(value)) throw badRequest(field, 'must be a list');
  if (value.length > max) throw badRequest(field, `must have at most ${max} entries`);
  return value;
}

function refuseDuplicates(field: string, ids: readonly string[], problem: string): void {
  if (new Set(ids).size < ids.length) throw badRequest(field, problem);
}
