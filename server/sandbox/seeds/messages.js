import { codeMail } from '../identity-service/courier.js';

const SPAN_MS = 30 * 86_400_000;
const STATUSES = [
  { weight: 70, status: 'sent' },
  { weight: 12, status: 'queued' },
  { weight: 6, status: 'processing' },
  { weight: 12, status: 'abandoned' },
];
const ATTEMPTS = { queued: 0, processing: 1, sent: 1, abandoned: 5 };
/**
 * Mails of the last 30 days, oldest first, in every state.
 * @param now milliseconds since the epoch
 */
export function messages(recipients, random, now) {
  const ages = recipients.map(() => random.below(SPAN_MS)).sort((a, b) => b - a);
  return recipients.map((recipient, index) => {
    // The first few make sure that each state is there.
    const { status } = STATUSES[index] ?? random.pickWeighted(STATUSES);
    const at = new Date(now - (ages[index] ?? 0)).toISOString();
    const id = random.uuid();
    const code = String(random.below(1_000_000)).padStart(6, '0');
    const attempts = Array.from({ length: ATTEMPTS[status] }, (_, attempt) => ({
      id: random.uuid(),
      message_id: id,
      status: status === 'abandoned' ? 'failed' : 'success',
      ...(status === 'abandoned' ? { error: { message: '550 5.1.1 the mailbox does not exist' } } : {}),
      created_at: new Date(Date.parse(at) + attempt * 60_000).toISOString(),
      updated_at: new Date(Date.parse(at) + attempt * 60_000).toISOString(),
    }));
    return {
      id,
      status,
      type: 'email',
      recipient,
      ...codeMail(random.chance(0.4) ? 'recovery' : 'verification', code),
      channel: 'email',
      send_count: attempts.length,
      ...(attempts.length > 0 ? { dispatches: attempts } : {}),
      created_at: at,
      updated_at: attempts.at(-1)?.updated_at ?? at,
    };
  });
}
