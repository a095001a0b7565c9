import { isUuid, membersOf, text } from '../../shared/json.ts';
import { type ListedMessage, MESSAGE_STATUSES, type MessagePage } from '../../shared/messages.ts';
import type { Route } from '../app.ts';
import type { Context } from '../context.ts';
import { ApiError } from '../http/errors.ts';
import { choiceParameter, namedParameter, pageSizeParameter, pageTokenParameter } from '../http/parameters.ts';
import { readRoutes } from '../http/response.ts';
import { sessionOf } from '../session/session-verifier.ts';
import { routeError, UpstreamFailure } from '../upstream/failure.ts';

/** Enough for 250 bodies of HTML. */
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
      const { messages, nextPageToken: next } = await store
        .list('/admin/courier/messages', { page_size, page_token, recipient, status }, { maxBytes: PAGE_MAX_BYTES })
        .then(({ items, ...rest }) => ({ messages: items.map(listed), ...rest }))
        .catch((error) => {
          // Everything else in the query is valid.
          const { status: refused } = (error instanceof UpstreamFailure && error.response) || {};
          throw page_token && refused === 400 ? new ApiError('invalid_page_token') : routeError(error);
        });
      res.json({ messages, next_page_token: next ?? null, has_more: next !== undefined } satisfies MessagePage);
    },
    '/:id': async (req, res) => {
      const message = await store
        .message(req.params['id'] ?? '')
        .then((found) => (found === undefined ? undefined : listed(found)))
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

const TEXTS = ['id', 'status', 'type', 'recipient', 'template_type', 'created_at', 'updated_at'] as const;

/** @throws UpstreamFailure for anything but a message */
function listed(item: unknown): ListedMessage {
  const message = membersOf(item);
  if (!isUuid(text(message['id']))) throw new UpstreamFailure('nonsense');
  const send_count = typeof message['send_count'] === 'number' ? message['send_count'] : 0;
  const texts = Object.fromEntries(TEXTS.map((name) => [name, text(message[name])]));
  return { ...(texts as Record<(typeof TEXTS)[number], string>), send_count };
}
