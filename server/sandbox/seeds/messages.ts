import { codeMail, type Message, type MessageStatus } from '../identity-service/courier/courier.ts';
import type { Random } from './random.ts';

const SPAN_MS = 30 * 86_400_000;
/** The maximum age of messages that are not delivered yet. */
const UNDER_WAY_MS = 40 * 60_000;
const RETRY_AFTER_MS = 1000;
const ATTEMPTS: Record<MessageStatus, { count: number; failed: boolean }> = {
  queued: { count: 0, failed: false },
  processing: { count: 1, failed: true },
  sent: { count: 1, failed: false },
  abandoned: { count: 3, failed: true },
};
const PROBLEMS = [
  'dial tcp 127.0.0.1:1025: connect: connection refused',
  '550 5.1.1 <recipient>: Recipient address rejected: User unknown',
  'dial tcp: lookup smtp.example.com:587: i/o timeout',
  '421 4.7.0 smtp.example.com:587 Try again later',
];

export interface Recipient {
  address: string;
  /** E.164; defined for recipients of text messages. */
  phone: string | undefined;
}

/**
 * Messages of the last 30 days, oldest first. The newest are in progress; of the others, some were abandoned.
 * @param now milliseconds since the epoch
 */
export function messages(recipients: readonly Recipient[], random: Random, now: number): Message[] {
  const underWay = Math.max(2, Math.round(recipients.length * 0.08));
  const ages = recipients.map((_, index) =>
    index < recipients.length - underWay ? UNDER_WAY_MS + random.below(SPAN_MS) : random.below(UNDER_WAY_MS),
  );
  ages.sort((a, b) => b - a);
  return recipients.map((recipient, index) => {
    const fromEnd = recipients.length - 1 - index;
    const status = statusOf(index, fromEnd, underWay, random);
    const sentAt = now - (ages[index] ?? 0);
    const at = new Date(sentAt).toISOString();
    const id = random.uuid();
    const { count, failed } = ATTEMPTS[status];
    const dispatches = Array.from({ length: count }, (_, attempt) => {
      const tried = new Date(sentAt + attempt * RETRY_AFTER_MS).toISOString();
      return {
        id: random.uuid(),
        message_id: id,
        status: failed ? ('failed' as const) : ('success' as const),
        ...(failed ? { error: failure(random.pick(PROBLEMS)) } : {}),
        created_at: tried,
        updated_at: tried,
      };
    });
    return {
      id,
      status,
      ...contentFor(recipient, random),
      send_count: count,
      ...(count > 0 ? { dispatches } : {}),
      created_at: at,
      updated_at: dispatches.at(-1)?.updated_at ?? at,
    };
  });
}

function statusOf(index: number, fromEnd: number, underWay: number, random: Random): MessageStatus {
  if (fromEnd === 0) return 'processing';
  if (fromEnd < underWay) return 'queued';
  // The oldest ensures that there is one.
  return index === 0 || random.chance(0.1) ? 'abandoned' : 'sent';
}

/** In Kratos' format for errors of its mail library. */
const failure = (reason: string) => ({
  code: 500,
  message: 'An internal server error occurred, please contact the system administrator',
  reason: `failed to send email via smtp: ${reason}`,
  status: 'Internal Server Error',
});

type Content = Pick<Message, 'type' | 'channel' | 'recipient' | 'subject' | 'body' | 'template_type'>;

function contentFor({ address, phone }: Recipient, random: Random): Content {
  const code = String(random.below(1_000_000)).padStart(6, '0');
  if (phone !== undefined && random.chance(0.3))
    return {
      type: 'sms',
      channel: 'sms',
      recipient: phone,
      subject: '',
      body: `Your login code is: ${code}\n\nIt expires in 15 minutes.\n`,
      template_type: 'login_code_valid',
    };
  const mail = { type: 'email', channel: 'email', recipient: address } as const;
  const draw = random.fraction();
  if (draw < 0.08) return { ...mail, ...linkMail(random) };
  if (draw < 0.2) return { ...mail, ...loginMail(code) };
  return { ...mail, ...codeMail(draw < 0.55 ? 'recovery' : 'verification', code) };
}

const loginMail = (code: string) => ({
  subject: `Use code ${code} to log in`,
  body: `Login to your account with the following code:\n\n${code}\n\nIt expires in 15 minutes.\n`,
  template_type: 'login_code_valid',
});

/** A custom HTML template of the installation. */
function linkMail(random: Random) {
  const link = `https://account.example.com/recovery?token=${random.bytes(16).toString('hex')}`;
  return {
    subject: 'Recover access to your account',
    body: `<!doctype html><html><head><style>p { color: #333 }</style></head><body><h1>Hello</h1><p>Please recover access to your account:</p><p><a href="${link}">Choose a new password</a></p><img src="https://account.example.com/logo.png" alt=""></body></html>`,
    template_type: 'recovery_valid',
  };
}
