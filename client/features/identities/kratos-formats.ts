import { format } from '@cfworker/json-schema';
import { attempt } from '../../../shared/json.ts';

const HOSTNAME = /^(?!-)(?=.{1,253}\.?$)(?:[a-z\d-]{0,62}[a-z\d]\.)*[a-z\d-]{0,62}[a-z\d]\.?$/i;
const ATOM = '[^\\0- .()<>[\\]:;@\\\\,"\\x7f]+';
const QUOTED = '"(?:[\\t !#-[\\]-~\\x80-\\u{10ffff}]|\\\\[\\t -~\\x80-\\u{10ffff}])+"';
const LOCAL_PART = new RegExp(`^[ \\t]*(?:${ATOM}(?:\\.${ATOM})*|${QUOTED})$`, 'u');
const bytesIn = (text: string): number => new TextEncoder().encode(text).length;

function isEmail(text: string): boolean {
  const [, local = '', host = ''] = /^(.*)@([^@]*)$/s.exec(text) ?? [];
  const isShort = bytesIn(text) <= 254 && bytesIn(local) <= 64;
  return isShort && LOCAL_PART.test(local) && HOSTNAME.test(host) && !host.endsWith('.');
}

const path = (others: string): string => `(?:[^${others}%]|%[\\da-f]{2})*`;
const HOST = `(?:\\[[\\da-f:.]*:[\\da-f:.]*(?:%25[^\\]]*)?\\]|(?:[\\w.~!$&'()*+,;=<>"\\x80-\\uffff-]|%25|%[89a-f][\\da-f])*)(?::\\d*)?`;
const FROM_HOST = `//(?:(?:[\\w.~:!$&'()*+,;=@-]|%[\\da-f]{2})*@)?${HOST}(?:/${path('?#')})?`;
const ABSOLUTE = `[a-z][a-z\\d+.-]*:(?:(?!/)[^?#]*|${FROM_HOST}|/(?!/)${path('?#')})`;
const RELATIVE = `${FROM_HOST}|(?!//)${path(':/?#')}(?:/${path('?#')})?`;
const reference = (form: string): RegExp =>
  new RegExp(`^(?![^]*[\\0-\\x1f\\x7f])(?:${form})(?:\\?[^#]*)?(?:#${path('')})?$`, 'i');

const TIME = '(?:[01]?\\d|2[0-3]):[0-5]\\d:[0-5]\\d(?:[.,]\\d+)?(?:Z|[+-](?:[01]\\d|2[0-4]):[0-5]\\d)$';
const ofValidator = (name: string) => (text: string) => format[name]?.(text) ?? true;
const [isDate, isDateTime] = [ofValidator('date'), new RegExp(`^.{10}T${TIME}`)];

/** As formats.go of ory/jsonschema, which uses the parsers of Go. Kratos v26.2.0 ignores all other formats. */
const RULES: Readonly<Record<string, RegExp | ((text: string) => boolean)>> = {
  'date-time': (text) => isDateTime.test(text) && isDate(text.slice(0, 10)),
  date: isDate,
  time: new RegExp(`^${TIME}`),
  hostname: HOSTNAME,
  email: isEmail,
  // Only the identity service knows which numbers a country has.
  tel: /^[^+＋\d]*[+＋]\D*(?:1\D*[2-9](?:\D*\d){9}|[2-9](?:\D*\d){6,16})\D*(?:(?:;|ext|x|#).*)?$/i,
  'ip-address ipv4': /^(?:(?:^|\.)(?:\+?0*(?:25[0-5]|2[0-4]\d|1?\d?\d)|-0+)){4}$/,
  'uri iri': reference(ABSOLUTE),
  'uri-reference uriref iri-reference': reference(`${ABSOLUTE}|${RELATIVE}`),
  'uri-template': /^(?:[^{}?#]|\{[^{}/?#]*\})*(?:$|[?#])/,
  regex: (text) => !/\(\?<?[=!]/.test(text) && attempt(() => new RegExp(text.replace(/^\(\?i\)/, ''))) !== undefined,
  ...Object.fromEntries(['ipv6', 'json-pointer', 'relative-json-pointer'].map((name) => [name, ofValidator(name)])),
};

/** Begins the names of Kratos' formats for the validator, which has formats of the same names. */
export const OF_KRATOS = 'kratos ';
for (const [names, rule] of Object.entries(RULES))
  for (const name of names.split(' '))
    format[OF_KRATOS + name] = rule instanceof RegExp ? (text) => rule.test(text) : rule;
