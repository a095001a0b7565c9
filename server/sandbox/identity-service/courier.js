import { randomUUID } from 'node:crypto';
export const MESSAGE_STATUSES = ['queued', 'sent', 'processing', 'abandoned'];
/** @param now milliseconds since the epoch */
export function courierOn(database, now) {
  const insert = database.prepare('INSERT INTO messages (id, status, recipient, document) VALUES (?, ?, ?, ?)');
  const byId = database.prepare('SELECT document FROM messages WHERE id = ?');
  const page = database.prepare(`SELECT sequence, document FROM messages
     WHERE sequence < @before AND (@status IS NULL OR status = @status) AND (@recipient IS NULL OR recipient = @recipient)
     ORDER BY sequence DESC LIMIT @limit`);
  const add = (message) => {
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
      return row && JSON.parse(row.document);
    },
    page: (before, limit, { status = null, recipient = null }) =>
      page.all({ before, limit, status, recipient }).map(({ sequence, document }) => ({
        position: sequence,
        message: JSON.parse(document),
      })),
  };
}
/** The texts of the identity service's own templates. */
export function codeMail(kind, code) {
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
