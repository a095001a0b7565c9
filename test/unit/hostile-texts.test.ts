import assert from 'node:assert/strict';
import type { IncomingMessage } from 'node:http';
import { createContext, Script } from 'node:vm';
import { nextToken } from '../../client/api/cursor-page.ts';
import { plainSearch } from '../../client/api/identities.ts';
import { identitySearchParams } from '../../client/api/identity-filters.ts';
import { asMessage } from '../../client/api/messages.ts';
import { inWords } from '../../client/api/search-snapshot.ts';
import { formatRecord } from '../../client/audit/record-sentence.ts';
import { parseIdentitiesSearch } from '../../client/features/identities/identity-resource.ts';
import { stateIn } from '../../client/features/import-export/account-state.ts';
import { headOf, samplesShown } from '../../client/features/import-export/columns.ts';
import { passwordProblems } from '../../client/features/import-export/file-password.ts';
import { guessColumns } from '../../client/features/import-export/guess-columns.ts';
import { valueIn } from '../../client/features/import-export/portable-identity.ts';
import { tokenIn } from '../../client/features/introspect/introspection.ts';
import { isHtml, plainMarkup, readableText, safeDocument } from '../../client/features/messages/message-html.ts';
import { goSeconds } from '../../client/features/oauth-clients/client-members.ts';
import { csvLine, unescapeCell } from '../../client/lib/files.ts';
import { identityIdIn } from '../../client/lib/identity-name.ts';
import { addressIn as addressOfDevice } from '../../client/lib/session-labels.ts';
import { visibleLines } from '../../client/lib/visible-text.ts';
import { trimmedTraits } from '../../client/record/traits-check.ts';
import { subjectOf } from '../../server/audit/event.ts';
import { canonicalTarget } from '../../server/gate/normalise-path.ts';
import { addressIn } from '../../server/geo/geo-lookup.ts';
import { ifMatch } from '../../server/http/parameters.ts';
import { servedHosts } from '../../server/http/server.ts';
import { networkTest, peerKey, withoutMapping } from '../../server/networks.ts';
import { sessionCookieOf } from '../../server/session/session-cookie.ts';
import { redactor } from '../../server/upstream/proxy/errors.ts';
import { ownCookies } from '../../server/upstream/proxy/headers.ts';
import { isRefusedPath } from '../../server/upstream/proxy/refusals.ts';
import { challengeRule, ownAddresses } from '../../server/upstream/proxy/response.ts';
import { formatDevice } from '../../shared/format-device.ts';
import { resolved } from '../../shared/json.ts';
import { UPSTREAMS } from '../../shared/upstreams.ts';

const upstreams = UPSTREAMS.map((facts) => ({ ...facts, prefix: `/api/${facts.name}`, url: 'http://127.0.0.1:4434' }));
const identityAdmin = upstreams.find(({ name }) => name === 'identity-admin') ?? assert.fail();
const withKeys = upstreams.find(({ holdsPrivateKeys }) => holdsPrivateKeys) ?? assert.fail();
const addresses = ownAddresses(upstreams, identityAdmin);
const cookies = ownCookies(['dashboard-session']);
const DETAILS = { method: 'GET', status: 200 };
const proxied = (target: string) =>
  ({ action: 'proxy_write', actor: 'anonymous', target, subject: null, details: DETAILS }) as const;

const eachTag = (text: string, tag: string) => text.split('<').map(() => ({ tag, attributes: [], parts: [] }));

/** Each function that parses text from callers, upstreams, files or the clipboard, by what it parses. */
const READERS: Readonly<Record<string, (text: string) => unknown>> = {
  'a request target': (text) => canonicalTarget(`/${text}`, 'a'),
  'a request target in absolute form': (text) => canonicalTarget(text, text),
  'an upstream path that may lead to private keys': (text) => isRefusedPath(withKeys, `/key${text}`),
  'a Host header': (text) => servedHosts('http://a.example', [])(text),
  'an If-Match header': (text) => ifMatch(`"b"${text}`)('"a"'),
  'a Cookie header': (text) => cookies.strip(`dashboard-session=a;${text}`),
  'a Set-Cookie header': (text) => cookies.isSetBy(text),
  'a Cookie header with a session': (text) =>
    sessionCookieOf({ headers: { cookie: `dashboard-session=a;${text}` } } as IncomingMessage),
  'the WWW-Authenticate header of an upstream': challengeRule(false, {
    headers: { 'sec-fetch-mode': 'cors' },
  } as unknown as IncomingMessage),
  'a Location header': (text) => addresses.redirect(text, '/a'),
  'a Link header': (text) => addresses.links(text, '/a'),
  'a Link header in the app': nextToken,
  'an error message with the names of upstreams': redactor(['kratos']),
  'the address of a peer, compared with networks': (text) => networkTest(['10.0.0.0/8'])(text),
  'the address of a peer, as the key of its limits': peerKey,
  'the address of a device, located by the server': (text) => withoutMapping(addressIn(text) ?? ''),
  'the address of a device, displayed in the app': addressOfDevice,
  'a User-Agent header': formatDevice,
  'the target of an audit record': (text) => subjectOf({ ...proxied(text), timestamp: '' } as never),
  'the target of an audit record, displayed in the app': (text) => formatRecord(proxied(`/api/identity-admin/${text}`)),
  'the reason why a message was not delivered': (text) =>
    asMessage({ id: 'a', status: 'sent', dispatches: [{ id: 'b', error: { reason: text } }] }),
  'the body of a mail that is checked for HTML': isHtml,
  'the HTML tags of a mail': plainMarkup,
  'the text of a mail': (text) => readableText([text, { tag: 'pre', attributes: [], parts: [text] }]),
  'the table cells of a mail': (text) => readableText(eachTag(text, 'td')),
  'the line breaks of a mail': (text) => readableText(eachTag(text, 'br')),
  'a mail displayed as a document': (text) => safeDocument([text]),
  'text with invisible characters': visibleLines,
  'a cell of an imported file': (text) => [
    valueIn(text, undefined),
    csvLine([text, `+1${text}`]),
    unescapeCell(`'${text}`),
  ],
  'a password in an imported file': (text) =>
    passwordProblems({ credentials: { password: { config: { password: text } } } }),
  'a password hash in an imported file': (text) =>
    passwordProblems({ credentials: { password: { config: { hashed_password: text } } } }),
  'the samples of a column in an imported file': (text) =>
    samplesShown({ header: [text], samples: [[text]] }, 0, undefined),
  'the columns of an imported file': (text) =>
    guessColumns({ header: [text], samples: [[text]] }, [
      { column: 'traits.mail', steps: ['mail'], title: 'a', kind: 'text', isEmail: true, isForPassword: true },
    ]),
  'the first row of an imported file': (text) => headOf([{ line: 1, cells: [text, text], broken: false }]),
  'the account state in an imported file': (text) => stateIn([[text, text]]),
  'an email address with spaces': (text) =>
    trimmedTraits({ a: text }, { properties: { traits: { properties: { a: { format: 'email' } } } } }),
  'a $ref in a schema': (text) => resolved({ $ref: `#/${text}` }, {}),
  'a duration in the syntax of Go': goSeconds,
  'a pasted token': tokenIn,
  'a pasted id': identityIdIn,
  'the text of a search': plainSearch,
  'the query string of a search page': (text) => {
    const search = parseIdentitiesSearch({ q: text, schema: text, created: text, session: text, sort: text });
    return [inWords(search), identitySearchParams(search, 0)];
  },
};

/** Each of these texts, if repeated, makes some careless regular expression take quadratic time. */
const PIECES = [
  ...['a', ' ', '\n', '.', '@', ':', ';', ',', '=', '%', '/', '"', '(', '[', '<'],
  ...['a.', 'a@', 'a=', 'a b', '=next<', ',<', '<a>; ', '<a b="', '&amp;', 'Version/'],
  ...['A1', '0', 'é', '\r\n', '\u2028', '\ud800', '-', '_', '@.', '::', '*', '&', '#', '?', '%2', '%41', '%2%65'],
  ...['/../', '\\', '"\\', "'", '`', '[]', '{', '}', '>', '</', 'a-', 'a_', 'a:', '1.', '1:', 'a; ', '<>;', 'a://'],
  ...['","', '1h', '<a ', '<p>', '= ', '="a" ', ' a', '<!--', '<!', '<style>', '<br>', '<p ', 'Bearer ', 'lookup '],
  ...['ory_a', 'I[#', 'I[#] S[#] ', 'Version/1 '],
];
const FRAMES: readonly (readonly [before: string, after: string])[] = [
  ['', ''],
  ['<p ', '\u0000!\n>'],
];

/** At this length, linear parsing takes under 200 ms of processor time on a busy machine, and quadratic over 700 ms. */
const CHARACTERS = 60_000;
const LIMIT_MS = 600;

const context: { read?: () => unknown } = createContext({});
const script = new Script('read()');

/** Measures processor time, because a busy machine may give this process little of it. */
function endsInTime(read: () => unknown): boolean {
  context.read = read;
  for (;;) {
    const before = process.cpuUsage();
    try {
      script.runInContext(context, { timeout: 4 * LIMIT_MS });
      return true;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ERR_SCRIPT_EXECUTION_TIMEOUT') throw error;
    }
    const { user, system } = process.cpuUsage(before);
    if (user + system > LIMIT_MS * 1_000) return false;
  }
}

describe('parsing text from outside', () => {
  for (const [name, read] of Object.entries(READERS))
    it(`takes linear time for ${name}`, () => {
      for (const piece of PIECES)
        for (const [before, after] of FRAMES) {
          const text = before + piece.repeat(CHARACTERS / piece.length) + after;
          assert.ok(
            endsInTime(() => read(text)),
            `takes more than linear time for ${JSON.stringify(text.slice(0, 40))}…`,
          );
        }
    });
});
