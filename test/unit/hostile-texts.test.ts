import assert from 'node:assert/strict';
import { type ChildProcess, fork } from 'node:child_process';
import type { IncomingMessage } from 'node:http';
import { fileURLToPath } from 'node:url';
import { nextToken } from '../../client/api/cursor-page.ts';
import { identitySearchParams, plainSearch } from '../../client/api/identity-search.ts';
import { asMessage } from '../../client/api/messages.ts';
import { formatRecord } from '../../client/audit/record-sentence.ts';
import { inWords, parseIdentitiesSearch } from '../../client/features/identities/identity-query.ts';
import { trimmedTraits } from '../../client/features/identities/traits-check.ts';
import { stateIn } from '../../client/features/identities/transfer/account-state.ts';
import { headOf, samplesShown } from '../../client/features/identities/transfer/columns.ts';
import { passwordProblems } from '../../client/features/identities/transfer/file-password.ts';
import { guessColumns } from '../../client/features/identities/transfer/guess-columns.ts';
import { valueIn } from '../../client/features/identities/transfer/portable-identity.ts';
import { tokenIn } from '../../client/features/introspect/introspection.ts';
import { isHtml, plainMarkup, readableText, safeDocument } from '../../client/features/messages/message-html.ts';
import { goSeconds } from '../../client/features/oauth-clients/client-members.ts';
import { csvLine, unescapeCell } from '../../client/lib/files.ts';
import { identityIdIn } from '../../client/lib/identity-name.ts';
import { addressIn as addressOfDevice } from '../../client/lib/session-labels.ts';
import { visibleLines } from '../../client/lib/visible-text.ts';
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
const own = upstreams.find(({ name }) => name === 'identity-admin') ?? upstreams[0];
const keys = upstreams.find(({ holdsPrivateKeys }) => holdsPrivateKeys) ?? upstreams[0];
if (own === undefined || keys === undefined) throw new Error('there are upstreams');
const addresses = ownAddresses(upstreams, own);
const cookies = ownCookies(['dashboard-session']);
const proxied = (target: string) =>
  ({
    action: 'proxy_write',
    actor: 'anonymous',
    target,
    subject: null,
    details: { method: 'GET', status: 200 },
  }) as const;

const eachTag = (text: string, tag: string) => text.split('<').map(() => ({ tag, attributes: [], parts: [] }));

/** Whatever reads text that callers, upstreams, files or pastes bring, by what it reads. */
const READERS: Readonly<Record<string, (text: string) => unknown>> = {
  'a request target': (text) => canonicalTarget(`/${text}`, 'a'),
  'a request target in absolute form': (text) => canonicalTarget(text, text),
  'a path that may lead to keys': (text) => isRefusedPath(keys, `/key${text}`),
  'a Host header': (text) => servedHosts('http://a.example', [])(text),
  'an If-Match header': (text) => ifMatch(`"b"${text}`)('"a"'),
  'a Cookie header': (text) => cookies.strip(`dashboard-session=a;${text}`),
  'a Set-Cookie header': (text) => cookies.isSetBy(text),
  'a Cookie header with a session': (text) =>
    sessionCookieOf({ headers: { cookie: `dashboard-session=a;${text}` } } as IncomingMessage),
  'a challenge': challengeRule(false, { headers: { 'sec-fetch-mode': 'cors' } } as unknown as IncomingMessage),
  'a Location header': (text) => addresses.redirect(text, '/a'),
  'a Link header': (text) => addresses.links(text, '/a'),
  'a Link header in the app': nextToken,
  'an upstream’s reason': redactor(['kratos']),
  'the address of a peer': (text) => networkTest(['10.0.0.0/8'])(text),
  'what an address counts as': peerKey,
  'the address of a device': (text) => withoutMapping(addressIn(text) ?? ''),
  'the address of a device in the app': addressOfDevice,
  'a user agent': formatDevice,
  'the target of a record': (text) => subjectOf({ ...proxied(text), timestamp: '' } as never),
  'the target of a record in the app': (text) => formatRecord(proxied(`/api/identity-admin/${text}`)),
  'why a message was not delivered': (text) =>
    asMessage({ id: 'a', status: 'sent', dispatches: [{ id: 'b', error: { reason: text } }] }),
  'whether a mail is HTML': isHtml,
  'the tags of a mail': plainMarkup,
  'the text of a mail': (text) => readableText([text, { tag: 'pre', attributes: [], parts: [text] }]),
  'the cells of a mail': (text) => readableText(eachTag(text, 'td')),
  'the breaks of a mail': (text) => readableText(eachTag(text, 'br')),
  'a mail to be shown': (text) => safeDocument([text]),
  'text with unseen characters': visibleLines,
  'a cell of a file': (text) => [valueIn(text, undefined), csvLine([text, `+1${text}`]), unescapeCell(`'${text}`)],
  'a password of a file': (text) => passwordProblems({ credentials: { password: { config: { password: text } } } }),
  'a hash of a file': (text) => passwordProblems({ credentials: { password: { config: { hashed_password: text } } } }),
  'a column of a file': (text) => samplesShown({ header: [text], samples: [[text]] }, 0, undefined),
  'the columns of a file': (text) =>
    guessColumns({ header: [text], samples: [[text]] }, [
      { column: 'traits.mail', steps: ['mail'], title: 'a', kind: 'text', isEmail: true, isForPassword: true },
    ]),
  'the first row of a file': (text) => headOf([{ line: 1, cells: [text, text], broken: false }]),
  'the state in a file': (text) => stateIn([[text, text]]),
  'an address with blanks': (text) =>
    trimmedTraits({ a: text }, { properties: { traits: { properties: { a: { format: 'email' } } } } }),
  'a reference in a schema': (text) => resolved({ $ref: `#/${text}` }, {}),
  'a duration': goSeconds,
  'a pasted token': tokenIn,
  'a pasted id': identityIdIn,
  'a search': plainSearch,
  'the address of a search': (text) => {
    const search = parseIdentitiesSearch({ q: text, schema: text, created: text, session: text, sort: text });
    return [inWords(search), identitySearchParams(search, 0)];
  },
};

/** What an expression with a square in it stumbles over, once it is repeated. */
const COMMON = [
  ...['a', ' ', '\n', '.', '@', ':', ';', ',', '=', '%', '/', '"', '(', '[', '<'],
  ...['a.', 'a@', 'a=', 'a b', '=next<', ',<', '<a>; ', '<a b="', '&amp;', 'Version/'],
];
const PIECES = [
  ...COMMON,
  ...['A1', '0', 'é', '\r\n', '\u2028', '\ud800', '-', '_', '@.', '::', '*', '&', '#', '?', '%2', '%41', '%2%65'],
  ...['/../', '\\', '"\\', "'", '`', '[]', '{', '}', '>', '</', 'a-', 'a_', 'a:', '1.', '1:', 'a; ', '<>;', 'a://'],
  ...['","', '1h', '<a ', '<p>', '= ', '="a" ', ' a', '<!--', '<!', '<style>', '<br>', '<p ', 'Bearer ', 'lookup '],
  ...['ory_a', 'I[#', 'I[#] S[#] ', 'Version/1 '],
];
const FRAMES: readonly (readonly [before: string, after: string])[] = [
  ['', ''],
  ['<p ', '\u0000!\n>'],
];

/**
 * Texts of some `length` characters, made to cost as much as can be whoever reads any of them more than once.
 * @param which the pieces that most expressions stumble over, or all of them in every frame
 */
function* hostileTexts(length: number, which: 'common' | 'all'): Generator<string> {
  for (const piece of which === 'all' ? PIECES : COMMON)
    for (const [before, after] of which === 'all' ? FRAMES : FRAMES.slice(0, 1))
      yield before + piece.repeat(length / piece.length) + after;
}

/** Read once, a text of this length takes a fraction of a second; read from each of its characters, minutes. */
const CHARACTERS = 160_000;
const DEADLINE_MS = 6_000;

/** A test for each reader of text from outside. */
export function readsInLinearTime(which: 'common' | 'all'): void {
  let reader: ChildProcess | undefined;
  // A process of its own, for an expression that does not end cannot be interrupted from within.
  const running = (): ChildProcess => {
    // Some readers stand in files with style sheets, which need the hooks of the test process.
    const execArgv = [...process.execArgv, `--import=${new URL('./test-process.ts', import.meta.url)}`];
    reader ??= fork(fileURLToPath(import.meta.url), { execArgv });
    return reader;
  };
  const stop = (): void => {
    reader?.kill('SIGKILL');
    reader = undefined;
  };
  after(stop);

  for (const name of Object.keys(READERS))
    it(name, async () => {
      const stuck = await new Promise<string | null>((resolve) => {
        const process = running();
        let deadline: NodeJS.Timeout | undefined;
        const ended = (at: string | null): void => {
          clearTimeout(deadline);
          process.removeAllListeners();
          resolve(at);
        };
        process.on('exit', () => ended('the process'));
        process.on('message', (text: string | null) => {
          clearTimeout(deadline);
          if (text === null) ended(null);
          else deadline = setTimeout(ended, DEADLINE_MS, text);
        });
        process.send({ name, length: CHARACTERS, which });
      });
      if (stuck === null) return;
      stop();
      assert.fail(`does not come to the end of ${JSON.stringify(stuck)}…`);
    });
}

// A process that has the named reader read hostile texts of a length, and says which text comes next; null at the end.
if (process.send !== undefined && process.argv[1] === fileURLToPath(import.meta.url))
  process.on('message', ({ name, length, which }: { name: string; length: number; which: 'common' | 'all' }) => {
    for (const text of hostileTexts(length, which)) {
      process.send?.(text.slice(0, 40));
      READERS[name]?.(text);
    }
    process.send?.(null);
  });
