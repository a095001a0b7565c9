import { PAGE_SIZE_MAX } from '../../shared/identities.ts';
import { marksFor, nameOf } from '../../shared/identity-name.ts';
import { isUuid, membersOf, text, timeOf } from '../../shared/json.ts';
import { type ListedMessage, MESSAGE_STATUSES, type MessagePage, NEWEST_MESSAGES } from '../../shared/messages.ts';
import type { Route } from '../app.ts';
import { within } from '../caches.ts';
import type { Context } from '../context.ts';
import { ApiError } from '../http/errors.ts';
import {
  choiceParameter,
  namedParameter,
  pageSizeParameter,
  pageTokenParameter,
  timeParameter,
} from '../http/parameters.ts';
import { readRoutes } from '../http/response.ts';
import { sessionOf } from '../session/session-verifier.ts';
import { routeError, UpstreamFailure } from '../upstream/failure.ts';

const PATH = '/admin/courier/messages';
/** Enough for 250 bodies of HTML. */
const PAGE_MAX_BYTES = 16 * 1024 * 1024;
/** Kratos breaks the connection on a shorter token. */
const TOKEN_MIN_BYTES = 24;
/** How many people of a page are looked up, in one request, and how long the page waits for them. */
const PEOPLE_MAX = 100;
const PEOPLE_MS = 1_500;
const PEOPLE_BYTES = 4 * 1024 * 1024;

type MessageQuery = { page_size: number } & Record<'page_token' | 'recipient' | 'status', string | undefined>;

/**
 * `GET /api/messages` and `GET /api/messages/:id`. A search for a recipient leaves an audit record, and does not say
 * whose address it is: that would be another search.
 */
export function messageRoutes({ identities: store, index, audit }: Context): Route[] {
  async function page(query: MessageQuery) {
    const { items, nextPageToken } = await store.list(PATH, { ...query }, { maxBytes: PAGE_MAX_BYTES });
    return { messages: items.map(listed), next: nextPageToken };
  }

  /** Searches the newest messages, by up to two requests. A token is the id of the last message of a page. */
  async function searchNewest(fits: (message: ListedMessage) => boolean, from: number, query: MessageQuery) {
    const { page_token, page_size, ...rest } = query;
    const all: ListedMessage[] = [];
    let next: string | undefined;
    // Not until there are enough: a service may have short or empty pages without end.
    for (let left = NEWEST_MESSAGES / PAGE_SIZE_MAX; left > 0; left -= 1) {
      const part = await page({ ...rest, page_size: PAGE_SIZE_MAX, page_token: next });
      all.push(...part.messages);
      // All further ones are older.
      next = timeOf(all.at(-1)?.created_at) < from ? undefined : part.next;
      if (next === undefined) break;
    }
    const found = all.filter(fits);
    const start = page_token === undefined ? 0 : found.findIndex(({ id }) => id === page_token) + 1;
    if (page_token !== undefined && start === 0) throw new ApiError('invalid_page_token');
    const messages = found.slice(start, start + page_size);
    return {
      messages,
      total: found.length,
      next: found.length > start + page_size ? messages.at(-1)?.id : undefined,
      ...(next !== undefined && { newest: { messages: all.length, since: all.at(-1)?.created_at ?? '' } }),
    };
  }

  /** Adds the people. An address that the index does not have in time, or of several people, is nobody's. */
  async function withPeople(session: string, messages: ListedMessage[]): Promise<ListedMessage[]> {
    const addresses = [...new Set(messages.map(({ recipient }) => recipient))];
    const people = new Map<string, ListedMessage['identity']>();
    const find = async (): Promise<void> => {
      const { value: ids } = await index.identitiesAt(session, addresses.slice(0, PEOPLE_MAX));
      if (ids.length === 0) return;
      const query = { ids: ids.slice(0, PEOPLE_MAX), page_size: PEOPLE_MAX };
      const { items } = await store.list('/admin/identities', query, { maxBytes: PEOPLE_BYTES, timeoutMs: PEOPLE_MS });
      const marks = await store.marks();
      for (const { id, schema_id, traits, verifiable_addresses, recovery_addresses } of items.map(membersOf)) {
        const identity = { id: text(id), name: nameOf(membersOf(traits), marksFor(marks, schema_id)) ?? null };
        // Other texts of a person are in the index as well.
        const own = [verifiable_addresses, recovery_addresses].flat().map((one) => text(membersOf(one)['value']));
        for (const address of new Set(own)) people.set(address, people.has(address) ? null : identity);
      }
    };
    await within(PEOPLE_MS, find());
    return messages.map((message) => ({ ...message, identity: people.get(message.recipient) ?? null }));
  }

  const router = readRoutes({
    '/': async (req, res) => {
      const parameter = (name: string): string | undefined => namedParameter(name, req.query[name]);
      const page_size = pageSizeParameter(req.query['page_size']);
      const status = choiceParameter('status', parameter('status'), MESSAGE_STATUSES);
      const [recipient, template] = [parameter('recipient'), parameter('template')];
      const [from, to] = ['from', 'to'].map((name) => timeParameter(name, parameter(name)));
      const isSearch = (template ?? from ?? to) !== undefined;
      const page_token = (isSearch ? pageTokenParameter : tokenParameter)(req.query['page_token']);
      const { identityId: adminId, sessionId } = sessionOf(res);
      if (recipient !== undefined) {
        const searchFilter = `messages:${new URLSearchParams({ recipient, ...(status && { status }) })}`;
        await audit.record({ action: 'identity_search', adminId, searchFilter });
      }
      const [earliest, end] = [timeOf(from), to === undefined ? Number.POSITIVE_INFINITY : timeOf(to)];
      const fits = ({ template_type, created_at }: ListedMessage): boolean =>
        (template ?? template_type) === template_type && timeOf(created_at) >= earliest && timeOf(created_at) < end;
      const query = { page_size, page_token, recipient, status };
      const { messages, next, ...rest } = await (isSearch ? searchNewest(fits, earliest, query) : page(query)).catch(
        (error) => {
          // Everything else in the query is valid.
          const { status: refused } = (error instanceof UpstreamFailure && error.response) || {};
          throw page_token && refused === 400 ? new ApiError('invalid_page_token') : routeError(error);
        },
      );
      res.json({
        messages: recipient === undefined ? await withPeople(sessionId, messages) : messages,
        next_page_token: next ?? null,
        has_more: next !== undefined,
        ...rest,
      } satisfies MessagePage);
    },
    '/:id': async (req, res) => {
      const message = await store
        .message(req.params['id'] ?? '')
        .then((found) => (found === undefined ? undefined : listed(found)))
        .catch((error) => Promise.reject(routeError(error)));
      if (message === undefined) throw new ApiError('not_found');
      res.json((await withPeople(sessionOf(res).sessionId, [message]))[0]);
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
