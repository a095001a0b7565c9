import type { IncomingMessage } from 'node:http';
import { nextToken } from '../../client/api/cursor-page.ts';
import { identityQuestion } from '../../client/api/filter-parameters.ts';
import { plainSearch } from '../../client/api/identity-list.ts';
import { asMessage } from '../../client/api/message-record.ts';
import { formatRecord } from '../../client/audit-view/record-sentence.ts';
import { describeFilters } from '../../client/features/identities/describe-filters.ts';
import { parseIdentitiesSearch } from '../../client/features/identities/identity-question.ts';
import { passwordProblems } from '../../client/features/identities/import/check-password.ts';
import { guessColumns } from '../../client/features/identities/import/guess-columns.ts';
import { samplesShown } from '../../client/features/identities/import/samples-shown.ts';
import { valueIn } from '../../client/features/identities/transfer/csv-cells.ts';
import { tokenIn } from '../../client/features/introspect/pasted-token.ts';
import { isHtml } from '../../client/features/messages/body/body-kind.ts';
import { plainMarkup } from '../../client/features/messages/body/plain-markup.ts';
import { readableText } from '../../client/features/messages/body/readable-text.ts';
import { safeDocument } from '../../client/features/messages/body/safe-document.ts';
import { goSeconds } from '../../client/features/oauth-clients/go-duration.ts';
import { identityIdIn } from '../../client/format/identity-id.ts';
import { addressIn as addressOfDevice } from '../../client/format/network-address.ts';
import { visibleLines } from '../../client/format/visible-text.ts';
import { resolved } from '../../client/resource/traits/trait-schema.ts';
import { subjectOf } from '../../server/audit/audit-subject.ts';
import { canonicalTarget } from '../../server/gate/normalise-path.ts';
import { addressIn } from '../../server/geo/addresses.ts';
import { ifMatch } from '../../server/http/if-match.ts';
import { servedHosts } from '../../server/http/served-hosts.ts';
import { networkTest, peerKey, withoutMapping } from '../../server/lib/networks.ts';
import { sessionCookieOf } from '../../server/session/session-cookie.ts';
import { challengeRule } from '../../server/upstream/proxy/challenges.ts';
import { ownAddresses } from '../../server/upstream/proxy/own-addresses.ts';
import { ownCookies } from '../../server/upstream/proxy/own-cookies.ts';
import { redactor } from '../../server/upstream/proxy/redact.ts';
import { isRefusedPath } from '../../server/upstream/proxy/refused-paths.ts';
import { formatDevice } from '../../shared/format-device.ts';
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
export const READERS: Readonly<Record<string, (text: string) => unknown>> = {
  'a request target': (text) => canonicalTarget(`/${text}`, 'a'),
  'a request target in absolute form': (text) => canonicalTarget(text, text),
  'a path that may lead to keys': (text) => isRefusedPath(keys, `/key${text}`),
  'a Host header': (text) => servedHosts('http://a.example', [])(text),
  'an If-Match header': (text) => ifMatch(text)('"a"'),
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
  'a cell of a file': (text) => valueIn(text, undefined),
  'a password of a file': (text) => passwordProblems({ credentials: { password: { config: { password: text } } } }),
  'a hash of a file': (text) => passwordProblems({ credentials: { password: { config: { hashed_password: text } } } }),
  'a column of a file': (text) => samplesShown({ header: [text], samples: [[text]] }, 0, undefined),
  'the columns of a file': (text) =>
    guessColumns({ header: [text], samples: [[text]] }, [
      { column: 'traits.mail', steps: ['mail'], title: 'a', kind: 'text', isEmail: true, isForPassword: true },
    ]),
  'a reference in a schema': (text) => resolved({ $ref: `#/${text}` }, {}),
  'a duration': goSeconds,
  'a pasted token': tokenIn,
  'a pasted id': identityIdIn,
  'a search': plainSearch,
  'the address of a search': (text) => {
    const search = parseIdentitiesSearch({ q: text, schema: text, created: text, session: text, sort: text });
    return [describeFilters(search), identityQuestion(search, 0)];
  },
};
