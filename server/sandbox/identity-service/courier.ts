import { randomUUID } from 'node:crypto';
import type { Router } from 'express';
import { isUuid } from '../../../shared/json.ts';
import { MESSAGE_STATUSES, type MessageStatus } from '../../../shared/messages.ts';
import { uuidProblem } from '../formats.ts';
import { queryOf } from '../http.ts';
import { cursorPage } from '../paging.ts';
import { documentQuery, type SandboxDatabase } from '../sandbox-database.ts';
import { badDisguised, badMessage, malformed, notFound } from './errors.ts';

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

/** Kratos' mails. They are never delivered, but can be read on the admin port. */
export function courierOn(database: SandboxDatabase, now: () => number) {
  const insert = database.prepare('INSERT INTO messages (id, status, recipient, document) VALUES (?, ?, ?, ?)');
  const byId = documentQuery<Message>(database, 'SELECT document FROM messages WHERE id = ?');
  const page = database.prepare<object, { sequence: number; document: string }>(
    `SELECT sequence, document FROM messages
     WHERE sequence < @before AND (@status IS NULL OR status = @status) AND (@recipient IS NULL OR recipient = @recipient)
     ORDER BY sequence DESC LIMIT @limit`,
  );
  /** Must be called oldest first: the list is in insertion order. */
  const add = (message: Message): void => {
    insert.run(message.id, message.status, message.recipient, JSON.stringify(message));
  };
  return {
    insert: add,
    queueMail: (recipient: string, mail: Pick<Message, 'body' | 'subject' | 'template_type'>): void => {
      const at = new Date(now()).toISOString();
      const kind = { type: 'email', channel: 'email' } as const;
      const state = { status: 'queued', send_count: 0, created_at: at, updated_at: at } as const;
      add({ id: randomUUID(), ...kind, ...state, recipient, ...mail });
    },
    find: (id: string) => byId.get(id),
    /** At most `limit` messages after the position, newest first. */
    page: (before: number, limit: number, status: string | null, recipient: string | null) =>
      page.all({ before, limit, status, recipient }).map(({ sequence, document }) => ({
        position: sequence,
        message: JSON.parse(document) as Message,
      })),
  };
}

const PURPOSES = {
  recovery: ['Recover access to your account by entering', 'recover access to'],
  verification: ['Verify your account with', 'verify'],
} as const;

/** The texts of Kratos' built-in templates. */
export function codeMail(kind: keyof typeof PURPOSES, code: string) {
  const [instruction, purpose] = PURPOSES[kind];
  return {
    body: `${instruction} the following code:\n\n${code}\n\nIf this was not you, do nothing. This code expires in 60 minutes.\n`,
    subject: `Use code ${code} to ${purpose} your account`,
    template_type: `${kind}_code_valid`,
  };
}

/** A custom HTML template of the installation. */
export const linkMail = (link: string) => ({
  subject: 'Recover access to your account',
  body: `<!doctype html><html><head><style>p { color: #333 }</style></head><body><h1>Hello</h1><p>Please recover access to your account:</p><p><a href="${link}">Choose a new password</a></p><img src="https://account.example.com/logo.png" alt=""></body></html>`,
  template_type: 'recovery_valid',
});

const REDACTED = '<redacted-unless-dev-mode>';

/** `/admin/courier/messages`. @param redacted hides subject and body */
export function addCourierRoutes(router: Router, courier: ReturnType<typeof courierOn>, redacted: boolean): void {
  const list = {
    path: '/admin/courier/messages',
    defaultSize: 10,
    maxSize: 500,
    start: String(Number.MAX_SAFE_INTEGER),
    refused: badDisguised,
  };
  const bodyOf = (message: Message): Message =>
    redacted ? { ...message, body: REDACTED, subject: REDACTED } : message;
  router.get('/courier/messages', (req, res) => {
    const query = queryOf(req);
    const status = query.get('status');
    if (status !== null && !MESSAGE_STATUSES.some((valid) => valid === status))
      throw malformed('Message status is not valid');
    const { rows, link } = cursorPage(
      query,
      list,
      (before, limit) => courier.page(Number(before), limit, status, query.get('recipient') || null),
      ({ position }) => String(position),
    );
    res.set('Link', link).json(rows.map(({ message: { dispatches: _single, ...message } }) => bodyOf(message)));
  });
  router.get('/courier/messages/:id', ({ params: { id } }, res) => {
    if (!isUuid(id)) throw badMessage(uuidProblem(id));
    const message = courier.find(id.toLowerCase());
    if (message === undefined) throw notFound();
    res.json(bodyOf(message));
  });
}
