import { parseInteger } from '../go/integer.js';
import { isUuid, uuidProblem } from '../go/uuid.js';
import { json } from '../http/answer.js';
import { route } from '../http/router.js';
import { keysetLink } from '../paging/keyset-link.js';
import { PageTokenError } from '../paging/sealed-token.js';
import { MESSAGE_STATUSES } from './courier.js';
import { badDisguised, badMessage, malformed, notFound } from './identity-errors.js';

const DEFAULT_SIZE = 10;
const MAX_SIZE = 500;
const NEWEST = Number.MAX_SAFE_INTEGER;
/** `/admin/courier/messages`. */
export function courierRoutes(courier, tokens) {
  return [
    route('GET', '/admin/courier/messages', ({ query }) => {
      const filter = { status: statusOf(query.get('status')), recipient: query.get('recipient') || undefined };
      const size = pageSize(query.get('page_size') ?? '');
      const token = query.get('page_token');
      const rows = courier.page(token ? openedPosition(tokens, token) : NEWEST, size + 1, filter);
      const shown = rows.slice(0, size);
      const next = rows.length > size ? shown.at(-1)?.position : undefined;
      const link = keysetLink(
        '/admin/courier/messages',
        query,
        size,
        tokens.seal(String(NEWEST)),
        next === undefined ? undefined : tokens.seal(String(next)),
      );
      return json(
        200,
        shown.map(({ message: { dispatches: _alone, ...message } }) => message),
        { Link: link },
      );
    }),
    route('GET', '/admin/courier/messages/:id', ({ params: { id = '' } }) => {
      if (!isUuid(id)) throw badMessage(uuidProblem(id));
      const message = courier.find(id.toLowerCase());
      if (message === undefined) throw notFound();
      return json(200, message);
    }),
  ];
}
function statusOf(text) {
  if (text === null) return undefined;
  const status = MESSAGE_STATUSES.find((candidate) => candidate === text);
  if (status === undefined) throw malformed('Message status is not valid');
  return status;
}
function pageSize(text) {
  if (text === '') return DEFAULT_SIZE;
  const size = parseInteger(text);
  if ('problem' in size) throw badDisguised(size.problem);
  return size.value <= 0 ? DEFAULT_SIZE : Math.min(size.value, MAX_SIZE);
}
function openedPosition(tokens, token) {
  try {
    return Number(tokens.open(token));
  } catch (error) {
    throw error instanceof PageTokenError ? badDisguised(error.message) : error;
  }
}
