import { randomUUID } from 'node:crypto';
import { isUuid, uuidProblem } from '../go.ts';
import { json, type Route, route } from '../http.ts';
import { type SealedTokens, sealedPage } from '../paging.ts';
import type { SandboxDatabase } from '../sandbox-database.ts';
import { badDisguised, badMessage, malformed, notFound } from './validation.ts';

export const MESSAGE_STATUSES = ['queued', 'sent', 'processing', 'abandoned'] as const;
export type MessageStatus = (typeof MESSAGE_STATUSES)[number];

/** A message as in Kratos' responses. */
export interface Message {
  id: string;
  status: MessageStatus;
  type: 'email' | 'sms';
  recipient: string;
  body: string;
  subject: string;
  template_type: string;
  channel: string;
  send_count: number;
  /** Delivery attempts; included only with a single message. */
  dispatches?: {
    id: string;
    message_id: string;
    status: 'success' | 'failed';
    error?: unknown;
    created_at: string;
    updated_at: string;
  }[];
  created_at: string;
  updated_at: string;
}

export interface MessageFilter {
  status: MessageStatus | undefined;
  recipient: string | undefined;
}

/** Kratos' mails. Nothing is ever delivered: they can be read on the admin port. */
export interface Courier {
  queue(kind: 'recovery' | 'verification', recipient: string, code: string): void;
  /** Must be called oldest first: the list is in insertion order. */
  insert(message: Message): void;
  find(id: string): Message | undefined;
  /** At most `limit` messages after the position, newest first. */
  page(before: number, limit: number, filter: MessageFilter): { position: number; message: Message }[];
}

/** @param now milliseconds since the epoch */
export function courierOn(database: SandboxDatabase, now: () => number): Courier {
  const insert = database.prepare('INSERT INTO messages (id, status, recipient, document) VALUES (?, ?, ?, ?)');
  const byId = database.prepare<[string], { document: string }>('SELECT document FROM messages WHERE id = ?');
  const page = database.prepare<object, { sequence: number; document: string }>(
    `SELECT sequence, document FROM messages
     WHERE sequence < @before AND (@status IS NULL OR status = @status) AND (@recipient IS NULL OR recipient = @recipient)
     ORDER BY sequence DESC LIMIT @limit`,
  );
  const add = (message: Message) => {
    insert.run(message.id, message.status, message.recipient, JSON.stringify(message));
  };
  return {
    queue: (kind, recipient, code) => {
      const at = new Date(now()).toISOString();
      add({
        id: randomUUID(),
        status: 'queued',
        type: 'email',
        recipient,
        ...codeMail(kind, code),
        channel: 'email',
        send_count: 0,
        created_at: at,
        updated_at: at,
      });
    },
    insert: add,
    find: (id) => {
      const row = byId.get(id);
      return row && (JSON.parse(row.document) as Message);
    },
    page: (before, limit, { status = null, recipient = null }: { status?: string | null; recipient?: string | null }) =>
      page.all({ before, limit, status, recipient }).map(({ sequence, document }) => ({
        position: sequence,
        message: JSON.parse(document) as Message,
      })),
  };
}

/** The texts of Kratos' built-in templates. */
export function codeMail(
  kind: 'recovery' | 'verification',
  code: string,
): Pick<Message, 'body' | 'subject' | 'template_type'> {
  if (kind === 'recovery')
    return {
      body: `Recover access to your account by entering the following code:\n\n${code}\n\nIf this was not you, do nothing. This code expires in 60 minutes.\n`,
      subject: `Use code ${code} to recover access to your account`,
      template_type: 'recovery_code_valid',
    };
  return {
    body: `Verify your account with the following code:\n\n${code}\n\nIf this was not you, do nothing. This code expires in 60 minutes.\n`,
    subject: `Use code ${code} to verify your account`,
    template_type: 'verification_code_valid',
  };
}

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
