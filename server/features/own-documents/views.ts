import type { Router } from 'express';
import {
  type SavedView,
  type SavedViews,
  VIEW_ID,
  VIEW_NAME_MAX_CHARACTERS,
  VIEW_RESOURCES,
  VIEW_SEARCH_MAX_CHARACTERS,
  VIEWS_MAX,
} from '../../../shared/dashboard.ts';
import type { Database } from '../../db/database.ts';
import { bodyFields, labelField, textField } from '../../http/bodies.ts';
import { badRequest } from '../../http/errors.ts';
import type { SessionVerifier } from '../../session/session-verifier.ts';
import { type OwnDocuments, ownDocumentRouter, ownDocuments } from './own-documents.ts';

/** The characters that browsers leave in the query of an address. */
const QUERY = /^[!$-;=?-~]*$/;

/**
 * Parses the body of `PUT /api/dashboard/views`.
 * @throws 400 that names the field
 */
export function parseViews(body: unknown): SavedViews {
  const { views } = bodyFields(body, ['views']);
  if (!Array.isArray(views)) throw badRequest('views', 'must be a list');
  if (views.length > VIEWS_MAX) throw badRequest('views', `must have at most ${VIEWS_MAX} entries`);
  const parsed = views.map(parseView);
  if (new Set(parsed.map(({ id }) => id)).size < parsed.length) throw badRequest('views', 'must not use an id twice');
  return { views: parsed };
}

function parseView(value: unknown, index: number): SavedView {
  const field = `views[${index}]`;
  const { id, resource, name, search } = bodyFields(value, ['id', 'resource', 'name', 'search'], field);
  const known = VIEW_RESOURCES.find((one) => one === resource);
  if (known === undefined) throw badRequest(`${field}.resource`, `must be one of ${VIEW_RESOURCES.join(', ')}`);
  return {
    id: viewId(`${field}.id`, id),
    resource: known,
    name: labelField(`${field}.name`, name, VIEW_NAME_MAX_CHARACTERS),
    search: query(`${field}.search`, search),
  };
}

function viewId(field: string, value: unknown): string {
  const id = textField(field, value);
  if (!VIEW_ID.test(id)) throw badRequest(field, 'must have 1 to 64 of the characters a-z, 0-9 and -');
  return id;
}

function query(field: string, value: unknown): string {
  const search = textField(field, value);
  if (search.length > VIEW_SEARCH_MAX_CHARACTERS)
    throw badRequest(field, `must have at most ${VIEW_SEARCH_MAX_CHARACTERS} characters`);
  if (!QUERY.test(search)) throw badRequest(field, 'must be the query of an address, with other characters escaped');
  return search;
}

/** Of a request: twice what the most views take. */
export const VIEWS_MAX_KIB = 256;

/** Each operator's views. @param now milliseconds since the epoch */
export const viewStore = (database: Database, now: () => number): OwnDocuments<SavedViews> =>
  ownDocuments({ database, table: 'dashboard_views', member: 'views', initial: [], now });

/** `GET` and `PUT /api/dashboard/views`. */
export const viewsRouter = (views: OwnDocuments<SavedViews>, verify: SessionVerifier): Router =>
  ownDocumentRouter({ documents: views, parse: parseViews, verify });
