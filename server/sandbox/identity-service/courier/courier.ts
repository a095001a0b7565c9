import { randomUUID } from 'node:crypto';
import type { SandboxDatabase } from '../../sandbox-database.ts';

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
