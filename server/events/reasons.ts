import { REASON_MAX_CHARACTERS, type SIGN_IN_REASONS, type SignInEventName } from '../../shared/sign-ins.ts';

type Reason = (typeof SIGN_IN_REASONS)[number];

/** Sentences of Kratos, and codes and sentences of Hydra. The first match counts. */
const KNOWN: readonly (readonly [RegExp, Reason])[] = [
  [/provided credentials are invalid/i, 'invalid_credentials'],
  [/account was disabled/i, 'inactive'],
  [/^invalid_client$/, 'invalid_client'],
  [/^invalid_grant$/, 'invalid_grant'],
];

/** Quoted parts may be what somebody typed. */
const QUOTED = /(["'`“”‘’]).*?["'`“”‘’]|["'`“”‘’].*/gs;

/**
 * The reason of a failure: a stable word for a known sentence, otherwise the sentence without what may be a person's. The
 * sentences of registrations and settings quote what people enter, so only words are stored of them.
 * @returns null for an event without a reason
 */
export function eventReason(event: SignInEventName, sentence: string, redact: (text: string) => string): string | null {
  if (!/(?:Failed|Error)$/.test(event)) return null;
  const known = KNOWN.find(([pattern]) => pattern.test(sentence))?.[1];
  if (known !== undefined) return known;
  if (sentence.trim() === '' || /^(?:Registration|Settings)/.test(event)) return 'other';
  return redact(sentence.replace(QUOTED, '…')).slice(0, REASON_MAX_CHARACTERS) || 'other';
}
