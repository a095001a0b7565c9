import {
  type SavedView,
  type SavedViews,
  VIEW_ID,
  VIEW_NAME_MAX_CHARACTERS,
  VIEW_RESOURCES,
  VIEW_SEARCH_MAX_CHARACTERS,
  VIEWS_MAX,
} from '../../../shared/views.ts';
import { badRequest } from '../../http/api-error.ts';
import { bodyFields, labelField, textField } from '../../http/json-fields.ts';

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
