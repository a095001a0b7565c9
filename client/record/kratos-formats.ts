import { format } from '@cfworker/json-schema';
import { attempt } from '../../shared/json.ts';

const HOSTNAME = /^(?!-)(?=.{1,253}\.?$)(?:[a-z\d-]{0,62}[a-z\d]\.)*[a-z\d-]{0,62}[a-z\d]\.?$/i;
const LOCAL_PART = /^(?:[^\0- .()<>[\]:;@\\,"\x7f]+(?:\.[^\0- .()<>[\]:;@\\,"\x7f]+)*|"(?:[^"\\\r\n]|\\.)+")$/;
const bytesIn = (text: string): number => new TextEncoder().encode(text).length;

function isEmail(text: string): boolean {
  const [, local = '', host = ''] = /^(.*)@([^@]*)$/s.exec(text) ?? [];
  const isShort = bytesIn(text) <= 254 && bytesIn(local) <= 64;
  return isShort && LOCAL_PART.test(local) && HOSTNAME.test(host) && !host.endsWith('.');
}

const SCHEME = '[a-z][a-z\\d+.-]*:';
/** A host has no space, and a path no broken escape; a path without a scheme has no colon before its first slash. */
const REST = '(?!//[^/?#]* |/[^?#]*%(?![\\da-f]{2}))[^\\0-\\x1f\\x7f]*$';
const URI = new RegExp(`^${SCHEME}${REST}`, 'i');
const REFERENCE = new RegExp(`^(?:${SCHEME}|(?![^/?#]*:))${REST}`, 'i');

const TIME = '(?:[01]?\\d|2[0-3]):[0-5]\\d:[0-5]\\d(?:[.,]\\d+)?(?:Z|[+-](?:[01]\\d|2[0-4]):[0-5]\\d)$';
const DATE_TIME = new RegExp(`^.{10}T${TIME}`);

/** As formats.go of ory/jsonschema, which uses Go's parsers. References are checked less strictly here. */
const RULES: Readonly<Record<string, RegExp | ((text: string) => boolean | undefined)>> = {
  'date-time': (text) => DATE_TIME.test(text) && format.date?.(text.slice(0, 10)),
  time: new RegExp(`^${TIME}`),
  hostname: HOSTNAME,
  email: isEmail,
  // Only the identity service knows which numbers a country has.
  tel: /^[^+＋\d]*[+＋]\D*(?:1\D*[2-9](?:\D*\d){9}|[2-9](?:\D*\d){6,16})\D*(?:(?:;|ext|x|#).*)?$/i,
  'ip-address': (text) => format.ipv4?.(text),
  ...{ uri: URI, iri: URI, 'uri-reference': REFERENCE, uriref: REFERENCE, 'iri-reference': REFERENCE },
  'uri-template': /^(?:[^{}?#]|\{[^{}/?#]*\})*(?:$|[?#])/,
  regex: (text) => !/\(\?<?[=!]/.test(text) && attempt(() => new RegExp(text.replace(/^\(\?i\)/, ''))) !== undefined,
};
for (const [name, rule] of Object.entries(RULES))
  format[name] = rule instanceof RegExp ? (text) => rule.test(text) : (text) => rule(text) === true;
for (const name of ['duration', 'json-pointer-uri-fragment', 'url', 'uuid']) delete format[name];

/** The validator’s formats: only those of Kratos v26.2.0, which ignores all others. */
export const KRATOS_FORMATS = format;
