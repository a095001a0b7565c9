import { isUuid, membersOf, text } from '../../shared/json.ts';
import { type ListedMessage, MESSAGE_STATUSES, type MessagePage } from '../../shared/messages.ts';
import type { Route } from '../app.ts';
import type { Context } from '../context.ts';
import { ApiError } from '../http/errors.ts';
import { choiceParameter, namedParameter, pageSizeParameter, pageTokenParameter } from '../http/parameters.ts';
import { readRoutes } from '../http/response.ts';
import { sessionOf } from '../session/session-verifier.ts';
import { routeError, UpstreamFailure } from '../upstream/failure.ts';

/** Enough for 250 messages with bodies of HTML. */
const PAGE_MAX_BYTES = 16 * 1024 * 1024;
/** Kratos breaks the connection on a shorter token. */
const TOKEN_MIN_BYTES = 24;

/** `GET /api/messages` and `GET /api/messages/:id`. A search for a recipient leaves an audit record. */
export function messageRoutes({ identities: store, audit }: Context): Route[] {
  const router = readRoutes({
    '/': async (req, res) => {
      const page_size = pageSizeParameter(req.query['page_size']);
      const page_token = tokenParameter(req.query['page_token']);
      const recipient = namedParameter('recipient', req.query['recipient']);
      const status = choiceParameter('status', namedParameter('status', req.query['status']), MESSAGE_STATUSES);
      if (recipient !== undefined) {
        const searchFilter = `messages:${new URLSearchParams({ recipient, ...(status && { status }) })}`;
        await audit.record({ action: 'identity_search', adminId: sessionOf(res).identityId, searchFilter });
      }
      const query = { page_size, page_token, recipient, status };
      const { items, nextPageToken } = await store
        .list('/admin/courier/messages', query, { maxBytes: PAGE_MAX_BYTES })
        .catch((error) => Promise.reject(page_token === undefined ? routeError(error) : tokenError(error)));
      // A page that names itself as the next one would keep clients reading forever.
      const next = nextPageToken === page_token ? undefined : nextPageToken;
      res.json({
        messages: items.map(listed),
        next_page_token: next ?? null,
        has_more: next !== undefined,
      } satisfies MessagePage);
    },
    '/:id': async (req, res) => {
      const message = await store
        .message(req.params['id'] ?? '')
        .then((found) => found && listed(found))
        .catch((error) => Promise.reject(routeError(error)));
      if (message === undefined) throw new ApiError('not_found');
      res.json(message);
    },
  });
  return [['/api/messages', 'messages.read', router]];
}

function tokenParameter(value: unknown): string | undefined {
  const token = pageTokenParameter(value);
  if (token !== undefined && (!/^[\w+/-]+=*$/.test(token) || Buffer.byteLength(token, 'base64') < TOKEN_MIN_BYTES))
    throw new ApiError('invalid_page_token');
  return token;
}

/** Everything else in the query is checked before, so that 400 means the token. */
const tokenError = (error: unknown): unknown =>
  error instanceof UpstreamFailure && error.response?.status === 400
    ? new ApiError('invalid_page_token', { cause: error })
    : routeError(error);

/** @throws UpstreamFailure for anything but a message */
function listed(item: unknown): ListedMessage {
  const message = membersOf(item);
  const id = text(message['id']);
  if (!isUuid(id)) throw new UpstreamFailure('nonsense');
  return {
    id,
    status: text(message['status']),
    type: text(message['type']),
    recipient: text(message['recipient']),
    template_type: text(message['template_type']),
    send_count: typeof message['send_count'] === 'number' ? message['send_count'] : 0,
    created_at: text(message['created_at']),
    updated_at: text(message['updated_at']),
  };
}
