import { isObject, text } from '../../../../shared/json.ts';
import type { LocatedSessions } from '../../../../shared/locations.ts';
import { nextToken } from '../../../api/cursor-page.ts';
import { request, send } from '../../../api/request.ts';
import { unreadableAnswer } from '../../../api/request-error.ts';
import { identityAdmin } from '../../../api/upstream-api.ts';
import type { CursorList } from '../../../resource/list/use-cursor-list.ts';
import type { FirstRows, RowMark } from '../../../resource/live/newer-rows.ts';
import { NewerRowsButton } from '../../../resource/live/newer-rows-button.tsx';
import type { NewerQuestion } from '../../../resource/live/use-newer-rows.ts';
import type { ListedSession } from '../session-queries.ts';
import { needsIndex, type SessionPageParams, sessionQuestion } from '../session-question.ts';

const ROWS = 50;
/** Behind each that the index finds stands a request to the identity service. */
const FOUND_ROWS = 5;

const mark = (id: string, authenticatedAt: string | null): RowMark => ({ id, at: Date.parse(authenticatedAt ?? '') });

async function ask({ pageSize: _, token: __, ...search }: SessionPageParams, signal: AbortSignal): Promise<FirstRows> {
  if (needsIndex(search)) {
    const question = sessionQuestion(search);
    question.set('page_size', String(FOUND_ROWS));
    const { sessions, has_more } = await request<LocatedSessions>(`/api/security/sessions?${question}`, { signal });
    return { marks: sessions.map(({ id, authenticated_at: at }) => mark(id, at)), more: has_more };
  }
  const query = new URLSearchParams({ page_size: String(ROWS), ...(search.active && { active: 'true' }) });
  const response = await send(`${identityAdmin('/sessions')}?${query}`, { signal });
  const body: unknown = await response.json().catch(() => undefined);
  if (!Array.isArray(body) || !body.every(isObject)) throw unreadableAnswer('identity service', 'a list of sessions');
  return {
    marks: body.map(({ id, authenticated_at: at }) => mark(text(id), text(at))),
    more: nextToken(response.headers.get('Link') ?? '') !== undefined,
  };
}

const QUESTION: NewerQuestion<ListedSession, SessionPageParams> = {
  one: 'session',
  many: 'sessions',
  markOf: ({ id, authenticatedAt }) => mark(id, authenticatedAt),
  ask,
};

/** Not for a person's sessions: a search for a person leaves an audit record each time. */
export const NewSessions = ({ list }: { list: CursorList<ListedSession, SessionPageParams> }) =>
  list.shown?.params.q === undefined && <NewerRowsButton list={list} question={QUESTION} />;
