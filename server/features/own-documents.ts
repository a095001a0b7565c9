import { hash } from 'node:crypto';
import type { Request, Router } from 'express';
import {
  type DashboardLayout,
  FAVOURITES_MAX,
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
import { recordReference } from '../../shared/records.ts';
import type { Route } from '../app.ts';
import type { Context } from '../context.ts';
import type { Database } from '../db/database.ts';
import { bodyFields, labelField, textField } from '../http/bodies.ts';
import { ApiError, badRequest } from '../http/errors.ts';
import { ifMatch } from '../http/parameters.ts';
import { pathRoutes, sendJson } from '../http/response.ts';
import type { SessionVerifier } from '../session/session-verifier.ts';

/** Limits of request bodies: twice the size of the largest layout, and the size of the largest views and favourites. */
const LAYOUT_MAX_KIB = 64;
const VIEWS_MAX_KIB = 320;

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
  ownDocuments<DashboardLayout>({ database, table: 'dashboard_layouts', initial: { layout: null }, now });

/** Each operator's views and favourites. */
export const viewStore = (database: Database, now: () => number) =>
  ownDocuments<SavedViews>({ database, table: 'dashboard_views', initial: { views: [], favourites: [] }, now });

/**
 * One document for each operator, which is read and replaced as a whole. Tags are strong entity tags (RFC 9110, section
 * 8.8.3).
 * @param options.table has the columns `identity_id` and `updated_at`, and one for the JSON of each member
 * @param options.initial the members for an operator who has stored none; columns after the first may be null
 */
function ownDocuments<Document extends object>(options: {
  database: Database;
  table: string;
  initial: Required<Document>;
  now: () => number;
}) {
  type Row = Record<string, string | null>;
  const { database, table, now } = options;
  const initial = textsOf(options.initial);
  const members = Object.keys(initial);
  const read = database.statement<Row>(`select ${members.join(', ')} from ${table} where identity_id = ?`);

  function stored(row: Row | undefined): { document: Document; tag: string } {
    const texts = Object.entries(initial).map(([member, text]) => [member, row?.[member] ?? text] as const);
    // Earlier releases know only the first member: without others, their replicas compute the same tag.
    const tagged = texts.filter(([member, text], index) => index === 0 || text !== initial[member]);
    return {
      document: Object.fromEntries(texts.map(([member, text]) => [member, JSON.parse(text)])) as Document,
      tag: tagOf(tagged.map(([, text]) => text).join('')),
    };
  }

  return {
    find: async (identityId: string) => stored(await read.get(identityId)),
    /**
     * Members that the document lacks stay as they are.
     * @param isExpected called with the tag of the stored document, atomically with the write
     * @returns the new document and tag, or undefined if the stored document was not the expected one
     */
    save: (identityId: string, document: Document, isExpected: (tag: string) => boolean) =>
      database.transaction(async (trx) => {
        const own = { identity_id: identityId };
        const updated_at = new Date(now()).toISOString();
        // Insert a row first, so that it can be locked: of two concurrent first saves, the second one waits here.
        await trx(table)
          .insert({ ...own, ...initial, updated_at })
          .onConflict('identity_id')
          .merge(own);
        const row: Row | undefined = await trx(table)
          .where(own)
          .forUpdate()
          .first(...members);
        if (!isExpected(stored(row).tag)) return undefined;
        const changed = textsOf(document);
        await trx(table)
          .where(own)
          .update({ ...changed, updated_at });
        return stored({ ...row, ...changed });
      }),
  };
}

const textsOf = (document: object): Record<string, string> =>
  Object.fromEntries(Object.entries(document).map(([member, value]) => [member, JSON.stringify(value)]));

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
      const saved = await documents.save(operator, document, ifMatch(req.headers['if-match']));
      if (saved === undefined) throw new ApiError('precondition_failed');
      sendJson(res, saved.document, saved.tag);
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
  const fields = bodyFields(body, ['views', 'favourites']);
  const views = list('views', fields.views, VIEWS_MAX).map(parseView);
  const ids = views.map(({ id }) => id);
  refuseDuplicates('views', ids, 'must not use an id twice');
  if (fields.favourites === undefined) return { views };
  const favourites = list('favourites', fields.favourites, FAVOURITES_MAX).map((value, index) => {
    const { resource, id } = bodyFields(value, ['resource', 'id'], `favourites[${index}]`);
    const favourite = recordReference(resource, id);
    if (favourite === undefined) throw badRequest(`favourites[${index}]`, 'must be a kind of records and an id');
    return favourite;
  });
  const named = favourites.map(({ resource, id }) => `${resource}:${id}`);
  refuseDuplicates('favourites', named, 'must not name a record twice');
  return { views, favourites };
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
