import type { LockedAccount, PostureCheck, PostureStatus } from '../../shared/security.ts';
import { counted } from './format-count.ts';
import { capitalised } from './visible-text.ts';

export const DEVICE_GRANT = 'urn:ietf:params:oauth:grant-type:device_code';
export const JWT_BEARER_GRANT = 'urn:ietf:params:oauth:grant-type:jwt-bearer';

const GRANTS = new Map(
  Object.entries({
    authorization_code: 'Authorization code',
    refresh_token: 'Refresh token',
    client_credentials: 'Client credentials',
    implicit: 'Implicit',
    password: 'Password',
    [DEVICE_GRANT]: 'Device code',
    [JWT_BEARER_GRANT]: 'JWT bearer',
  }),
);

/** A grant type in words; unknown types stay as they are. */
export const formatGrant = (grant: string): string => GRANTS.get(grant) ?? grant;

/** `wrong_password` after 5 attempts: "Wrong password, 5 attempts". */
export function formatReason({ reason, attempts }: Pick<LockedAccount, 'reason' | 'attempts'>): string {
  const words = reason.replaceAll('_', ' ').trim();
  const why = capitalised(words) || 'Reason unknown';
  return attempts > 0 ? `${why}, ${counted(attempts, 'attempt', 'attempts')}` : why;
}

export const POSTURE_DOTS = { fail: 'bad', warn: 'warning', unknown: 'off', pass: 'good' } as const;

const ORDER: readonly PostureStatus[] = ['fail', 'warn', 'unknown', 'pass'];
const WORDS: Record<PostureStatus, (count: number) => string> = {
  fail: (count) => `${count} ${count === 1 ? 'fails' : 'fail'}`,
  warn: (count) => `${count} ${count === 1 ? 'warns' : 'warn'}`,
  unknown: (count) => `${count} unknown`,
  pass: (count) => `${count} ${count === 1 ? 'passes' : 'pass'}`,
};

/** `1 fails, 2 warn, 3 unknown, 18 pass` */
export function formatPosture(checks: readonly Pick<PostureCheck, 'status'>[]): string {
  if (checks.length > 0 && checks.every(({ status }) => status === 'pass')) return `All ${checks.length} checks pass`;
  return ORDER.map((status) => [status, checks.filter((check) => check.status === status).length] as const)
    .filter(([, count]) => count > 0)
    .map(([status, count]) => WORDS[status](count))
    .join(', ');
}

/** The first check with the worst status; undefined if all pass. */
export const worstCheck = (checks: readonly PostureCheck[]): PostureCheck | undefined =>
  ORDER.filter((status) => status !== 'pass')
    .map((status) => checks.find((check) => check.status === status))
    .find((check) => check !== undefined);

/** Kratos' built-in templates; an installation may have others. */
const TEMPLATES = new Map(
  Object.entries({
    recovery_valid: 'Recovery link',
    recovery_invalid: 'Recovery with an unknown address',
    recovery_code_valid: 'Recovery code',
    recovery_code_invalid: 'Recovery with an unknown address',
    verification_valid: 'Verification link',
    verification_invalid: 'Verification of an unknown address',
    verification_code_valid: 'Verification code',
    verification_code_invalid: 'Verification of an unknown address',
    login_code_valid: 'Sign-in code',
    login_code_invalid: 'Sign-in with an unknown address',
    registration_code_valid: 'Registration code',
    registration_code_invalid: 'Registration with a known address',
    stub: 'Test message',
  }),
);

/** The templates by name; those with the same words are followed by their names. */
export const TEMPLATE_CHOICES = [...TEMPLATES].map(([value, label]) => ({
  value,
  label: [...TEMPLATES.values()].filter((one) => one === label).length > 1 ? `${label} (${value})` : label,
}));

interface MessageStatus {
  label: string;
  dot: 'good' | 'warning' | 'bad' | 'off';
}

const STATUSES = new Map<string, MessageStatus>(
  Object.entries({
    queued: { label: 'Queued', dot: 'off' },
    processing: { label: 'Sending', dot: 'warning' },
    sent: { label: 'Sent', dot: 'good' },
    abandoned: { label: 'Abandoned', dot: 'bad' },
  } as const),
);

const CHANNELS = new Map(Object.entries({ email: 'E-mail', sms: 'Text message' }));

export const formatTemplate = (template: string): string => TEMPLATES.get(template) ?? (template || 'Message');

/** @param attempts how often delivery began: if it waits again, each of them failed */
export const messageStatus = (status: string, attempts = 0): MessageStatus =>
  status === 'queued' && attempts > 0
    ? { label: `Failed ${attempts === 1 ? 'once' : `${attempts} times`}, will retry`, dot: 'warning' }
    : (STATUSES.get(status) ?? { label: status || 'unknown', dot: 'off' });

export const formatChannel = (channel: string): string => CHANNELS.get(channel) ?? (channel || 'unknown');
