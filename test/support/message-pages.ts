import { randomUUID } from 'node:crypto';

export const MESSAGES = '/api/identity-admin/admin/courier/messages';

/** A message as Kratos gives it. */
export interface SentMessage {
  id: string;
  status: string;
  recipient: string;
  subject: string;
  body: string;
  [member: string]: unknown;
}

export const sentMessage = (members: Partial<SentMessage>): SentMessage => ({
  id: randomUUID(),
  status: 'sent',
  type: 'email',
  recipient: 'somebody@example.org',
  subject: 'Use code 123456 to recover access to your account',
  body: 'Your code: 123456',
  template_type: 'recovery_code_valid',
  channel: 'email',
  send_count: 1,
  created_at: '2026-01-31T09:00:00Z',
  updated_at: '2026-01-31T09:00:00Z',
  ...members,
});
