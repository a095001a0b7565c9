import { isUuid, uuidProblem } from '../../go/uuid.ts';
import { json } from '../../http/answer.ts';
import { type Route, route } from '../../http/router.ts';
import { sealedPage } from '../../paging/sealed-page.ts';
import type { SealedTokens } from '../../paging/sealed-token.ts';
import { badDisguised, badMessage, malformed, notFound } from '../identities/identity-errors.ts';
import { type Courier, MESSAGE_STATUSES, type Message, type MessageStatus } from './courier.ts';

const PATH = '/admin/courier/messages';
const REDACTED = '<redacted-unless-dev-mode>';

/**
 * `/admin/courier/messages`.
 * @param redacted hides subject and body
 */
export function courierRoutes(courier: Courier, tokens: SealedTokens, redacted: boolean): Route[] {
  const start = String(Number.MAX_SAFE_INTEGER);
  const list = { path: PATH, defaultSize: 10, maxSize: 500, start, tokens, refused: badDisguised };
  const shown = (message: Message): Message => (redacted ? { ...message, body: REDACTED, subject: REDACTED } : message);
  return [
    route('GET', PATH, ({ query }) => {
      const filter = { status: statusOf(query.get('status')), recipient: query.get('recipient') || undefined };
      const { rows, headers } = sealedPage(
        query,
        list,
        (before, limit) => courier.page(Number(before), limit, filter),
        ({ position }) => String(position),
      );
      const answers = rows.map(({ message: { dispatches: _alone, ...message } }) => shown(message));
      return json(200, answers, headers);
    }),
    route('GET', `${PATH}/:id`, ({ params: { id = '' } }) => {
      if (!isUuid(id)) throw badMessage(uuidProblem(id));
      const message = courier.find(id.toLowerCase());
      if (message === undefined) throw notFound();
      return json(200, shown(message));
    }),
  ];
}

function statusOf(text: string | null): MessageStatus | undefined {
  if (text === null) return undefined;
  const status = MESSAGE_STATUSES.find((candidate) => candidate === text);
  if (status === undefined) throw malformed('Message status is not valid');
  return status;
}
