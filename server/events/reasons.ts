import { REASON_MAX_CHARACTERS, SIGN_IN_REASONS, type SignInEventName } from '../../shared/sign-ins.ts';

type Reason = (typeof SIGN_IN_REASONS)[number];
type Sentences = readonly (readonly [RegExp, Reason])[];

/** SQL and stacks, which no reason should contain. */
const INTERNAL =
  /\bsqlstate\b|\bsql:|\b(?:select|insert|update|delete)\b.*\b(?:from|into|set)\b|duplicate (?:key|entry)|constraint failed|\.go:\d|\bgoroutine\b|context (?:canceled|deadline)/i;

/** Of Kratos v26.2: messages of schema errors, else the reason of an error. The first match counts. */
const KRATOS: Sentences = [
  [/openid|\boidc\b|\boauth[12]|\bsaml\b|id_token|sign in with x\b|linked credentials|jsonnet/i, 'provider_failed'],
  [/permissions were not granted/i, 'provider_failed'],
  [/provided credentials are invalid/i, 'invalid_credentials'],
  [/account (?:was|has been) disabled/i, 'inactive'],
  [/not (?:yet )?verified|account not active yet|find a verification address/i, 'not_verified'],
  [/authentication code is invalid|backup recovery code\b|web ?authn login is invalid/i, 'second_factor_invalid'],
  [/authenticator assurance level|higher aal|second factor|second authentication/i, 'second_factor_needed'],
  [/too often|too many|rate[- ]limit/i, 'rate_limited'],
  [/(?:code|token) (?:is invalid|was already used)|unknown code/i, 'code_invalid'],
  [/\b(?:have|has) (?:no|not) .*\b(?:set ?up|configured)\b/i, 'no_such_method'],
  [/could not find a strategy|available authentication methods|endpoint was disabled/i, 'no_such_method'],
  [/flow (?:has )?expired|flow .*must be retried/i, 'flow_expired'],
  [/cross-site[- ]request[- ]forgery|security violation|\bcsrf\b/i, 'csrf'],
  [/exists already|already in use by another/i, 'exists_already'],
  [/password (?:can ?not be used|does not fulfill|must|has been found)/i, 'password_refused'],
  [/missing propert|property .* missing|is not valid|not match pattern|length must be|^must be /i, 'invalid_input'],
  [/^expected .* but got|validation errors? occurred|find any .*identifiers|enter a valid/i, 'invalid_input'],
  [/is required|missing or malformed|form data|traits do not match|any known address|captcha/i, 'invalid_input'],
];

/** Of Hydra v26.2: the code of an error without a hint, else the hint. */
const HYDRA: Sentences = [
  ...SIGN_IN_REASONS.map((code) => [new RegExp(`^${code}$`), code] as const),
  [/to request scope|request scope .* not been granted/i, 'invalid_scope'],
  [/not allowed to use (?:the )?authorization grant|not have the .* grant/i, 'unauthorized_client'],
  [
    /client credentials missing|must be set when using|audience .*whitelisted|http method|post body/i,
    'invalid_request',
  ],
  [/could not be decoded|http body|parameter .* is missing|code_challenge/i, 'invalid_request'],
  [/could not be authenticated|client .*does not exist|client authentication|client_assertion/i, 'invalid_client'],
  [/(?:auth\w*|refresh|device|user) (?:code|token)\b|\bpkce\b|does not match the (?:one|id)\b/i, 'invalid_grant'],
  [/username and password|jwt in |json web token/i, 'invalid_grant'],
];

/** For finding the sentence around quoted parts. */
const SHORT_QUOTATION = /"(?:\\.|[^"\\])*"|(?<!\p{L})'[^']*'/gu;
/** All but an apostrophe within a word. */
const MARK = /["“”„«»]|(?<!\p{L})['‘’‚`]|['‘’‚`](?!\p{L})/u;
const MARKS = new RegExp(MARK, 'gu');
const DOUBLE = /["“”„«»]/;
/** So that no text keeps the patterns busy. */
const READ_MAX_CHARACTERS = 1_000;
/** With spaces or signs in it. */
const TELEPHONE_NUMBER = /\+?\d[\d ()/.-]{6,}\d/g;

/**
 * The reason of a failure: a stable word for a known sentence, otherwise the sentence without what may be a person's. The
 * sentences of registrations and settings quote what people enter, so only words are stored of them.
 * @returns null for an event without a reason
 */
export function eventReason(event: SignInEventName, sentence: string, redact: (text: string) => string): string | null {
  if (!/(?:Failed|Error)$/.test(event)) return null;
  const beginning = sentence.slice(0, READ_MAX_CHARACTERS);
  const unquoted = beginning.replace(SHORT_QUOTATION, '…');
  if (INTERNAL.test(unquoted)) return 'server_error';
  const known = (event === 'OAuth2TokenExchangeError' ? HYDRA : KRATOS).find(([pattern]) => pattern.test(unquoted));
  if (known !== undefined) return known[1];
  if (/^(?:Registration|Settings)/.test(event)) return 'other';
  const [line = ''] = withoutQuotations(beginning).split(/[\r\n]/, 1);
  return [...redact(line).replace(TELEPHONE_NUMBER, '…')].slice(0, REASON_MAX_CHARACTERS).join('') || 'other';
}

/**
 * Blanks from the first mark to the last one of its kind: a quotation may contain marks. It ends with the sentence if it
 * is not closed, or if what follows may still belong to it.
 */
function withoutQuotations(sentence: string): string {
  const [first, ...others] = sentence.matchAll(MARKS);
  if (first === undefined) return sentence;
  const isSameKind = ([mark]: RegExpExecArray): boolean => DOUBLE.test(mark) === DOUBLE.test(first[0]);
  const same = others.filter(isSameKind);
  const last = same.at(-1);
  const rest = last === undefined ? '' : sentence.slice(last.index + 1);
  const isOpen = same.length % 2 === 0 || MARK.test(rest) || /^[\p{L}\p{N}]/u.test(rest);
  return `${sentence.slice(0, first.index)}…${isOpen ? '' : rest}`;
}
