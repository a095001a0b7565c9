import assert from 'node:assert/strict';
import { within } from '@testing-library/dom';
import type { Identity } from '../../client/api/identities.ts';
import type { ListedMessage } from '../../client/api/messages.ts';
import type { IdentitySession } from '../../client/api/sessions.ts';
import {
  diagnose,
  type Finding,
  type TextPart,
  type Verdict,
  verdictOf,
} from '../../client/features/sign-in-diagnosis/diagnose.ts';
import {
  type Attempts,
  type Evidence,
  lastReported,
  providerStates,
} from '../../client/features/sign-in-diagnosis/evidence.ts';
import type { AuditRecord } from '../../shared/audit.ts';
import type { IdentityCredential } from '../../shared/identity-credentials.ts';
import type { Setting } from '../../shared/settings.ts';
import { type App, appOfSuite } from '../support/app-in-dom.tsx';
import { lockAccounts } from '../support/dashboard.ts';
import { eventually } from '../support/eventually.ts';
import { changeIdentity, createIdentity, PASSWORD, trySignIn } from '../support/identity-pages.ts';
import { coverageSince, respondWithLog, signInEvent } from '../support/sign-in-log.ts';

describe('the sign-in diagnosis of a person', () => {
  const suite = appOfSuite();
  const createPerson = async (email: string, verified = true): Promise<{ id: string; email: string }> => {
    const { id } = await createIdentity(suite, {
      schema_id: 'customer',
      traits: { email, name: { first: 'Locked', last: 'Out' } },
      credentials: { password: { config: { password: PASSWORD } } },
      verifiable_addresses: [{ value: email, via: 'email', verified, status: verified ? 'completed' : 'sent' }],
    });
    return { id, email };
  };
  const onPerson = (
    { id }: { id: string },
    work: (app: App, section: HTMLElement) => Promise<void>,
    respond: App['respond'] = () => undefined,
    hasSignInLog = false,
  ): Promise<void> =>
    suite.open(`/identities/${id}`, { respond, hasSignInLog }, async (app) =>
      work(app, await app.screen.findByRole('region', { name: 'Can they sign in?' })),
    );
  const verdictIs = (verdict: string): Promise<void> =>
    eventually(() => document.querySelector('[aria-label="Can they sign in?"] [role=status]')?.textContent, verdict);

  it('reports a locked account, and unlocks it', async () => {
    const person = await createPerson('locked-out@example.org');
    await lockAccounts(suite.dashboard, [person.email, 'somebody.else@example.org']);
    await onPerson(person, async (app, section) => {
      await verdictIs('No');
      await app.shows(`${person.email} is locked`, section);
      await app.shows(/Wrong password, 5 attempts from 203\.0\.113\.9/, section);
      assert.equal(within(within(section).getByRole('list', { name: 'Findings' })).getAllByRole('listitem').length, 1);
      await app.press(/^Unlock/, section);
      await app.press('Unlock account', await app.screen.findByRole('dialog'));
      await verdictIs('No problems found');
    });
  });

  it('names the operator who deactivated a person, and activates the person', async () => {
    const person = await createPerson('deactivated@example.org');
    await changeIdentity(suite, person.id, { '/state': 'inactive' });
    await onPerson(person, async (app, section) => {
      await verdictIs('No');
      await eventually(() => section.textContent, /The identity is inactive.*Deactivated just now by you\./);
      await app.press(/^Activate/, section);
      await app.press('Activate', await app.screen.findByRole('dialog'));
      await verdictIs('No problems found');
    });
  });

  it('warns of an unverified address with which the person has signed in, and marks it as verified', async () => {
    const { id, email } = await createPerson('unverified@example.org', false);
    assert.ok(await trySignIn(suite, email, PASSWORD));
    await onPerson({ id }, async (app, section) => {
      await verdictIs('Yes, but their address is not verified');
      await app.press('Mark as verified…: Their address is not verified', section);
      await app.press('Mark as verified', await app.screen.findByRole('dialog'));
      await verdictIs('No problems found');
      await app.press('Undo');
      await verdictIs('Yes, but their address is not verified');
    });
  });

  it('shows a sign-in and a failure that only the sign-in log has', async () => {
    const person = await createPerson('session-gone@example.org');
    const signIn = { event: 'LoginSucceeded', reason: null, session_id: 'gone' } as const;
    const [events, older] = [[signInEvent(ago(-1))], [signInEvent(ago(60), signIn)]];
    const respond = respondWithLog({ events, older, coverage: coverageSince(ago(120)) });
    const isShown = async (app: App, section: HTMLElement): Promise<void> => {
      await verdictIs('Maybe not');
      await app.shows(/^Wrong password/, section);
      await eventually(
        () => section.textContent,
        /Last sign-in 1 hour ago, reported from Berlin, Germany with Chrome on macOS, password\./,
      );
    };
    await onPerson(person, isShown, respond, true);
  });

  it('names the data that could not be loaded, and loads it again on request', async () => {
    const respond: App['respond'] = ({ path }) =>
      /credentials$|\/sessions/.test(path) ? Response.json({ error: 'bad_gateway' }, { status: 502 }) : undefined;
    await onPerson(
      await createPerson('unread@example.org'),
      async (app, section) => {
        await verdictIs('No problems found, but some data is missing');
        await eventually(() => section.textContent, /Could not be read: their credentials, their sessions\./);
        await eventually(() => section.textContent, /Last sign-in unknown: their sessions have not been loaded\./);
        app.respond = () => undefined;
        await app.press('Try again', section);
        await verdictIs('No problems found');
      },
      respond,
    );
  });
});

const AT = '2026-01-31T09:00:00.000Z';

const identity: Identity = {
  id: '7a0c1c1e-3c4f-4c8e-9a55-1c2b3d4e5f60',
  schema_id: 'customer',
  state: 'active',
  traits: { email: 'ada@example.org' },
  metadata_public: null,
  metadata_admin: null,
  verifiable_addresses: [{ value: 'ada@example.org', via: 'email', verified: true }],
  recovery_addresses: [{ id: 'r1', value: 'ada@example.org', via: 'email' }],
  created_at: AT,
  updated_at: AT,
};
const credential = (type: string, more: Partial<IdentityCredential> = {}): IdentityCredential => ({
  type,
  set: true,
  identifiers: ['ada@example.org'],
  deletable: false,
  created_at: AT,
  updated_at: AT,
  ...more,
});
const social = (...identifiers: string[]) => credential('oidc', { identifiers });
const session = (authenticated_at: string, active = true): IdentitySession => ({
  id: authenticated_at,
  active,
  authenticated_at,
  issued_at: authenticated_at,
  expires_at: AT,
});
/** Fixed, since the tests of this file may take minutes. */
const NOW = Date.now();
const ago = (minutes: number): string => new Date(NOW - minutes * 60_000).toISOString();
const message = (status: string, minutes: number, template = 'recovery_code_valid'): ListedMessage => ({
  id: `message-${minutes}`,
  status,
  recipient: 'ada@example.org',
  channel: 'email',
  template,
  attempts: 3,
  created: ago(minutes),
  person: undefined,
});

/** Complete evidence without a problem. */
const NO_PROBLEM: Evidence = {
  identity,
  credentials: [credential('password')],
  sessions: [session(ago(5))],
  locks: [],
  messages: [],
  courierReason: undefined,
  providers: new Map(),
  stateRecord: null,
  attempts: null,
};
const findingsFor = (more: Partial<Evidence>): readonly Finding[] => diagnose({ ...NO_PROBLEM, ...more });
const words = (parts: readonly TextPart[] = []): string =>
  parts
    .map((part) => {
      if (typeof part === 'string') return part;
      if ('at' in part) return `<${part.at}>`;
      return 'actor' in part ? `{${part.actor}}` : `[${part.lock.reason}]`;
    })
    .join('');
const brief = (findings: readonly Finding[]): string[] =>
  findings.map(({ severity, title }) => `${severity}: ${title}`);

describe('the findings of the sign-in diagnosis', () => {
  it('include a deactivation, with its operator and time if the audit trail has them', () => {
    const stateRecord: AuditRecord = {
      sequence: 1,
      timestamp: '2026-02-01T10:00:00.000Z',
      action: 'proxy_write',
      actor: 'operator-1',
      target: null,
      subject: `identity:${identity.id}`,
      details: { state: 'inactive' },
    };
    const inactive = { ...identity, state: 'inactive', state_changed_at: AT };
    const [finding] = findingsFor({ identity: inactive, stateRecord });
    assert.equal(finding?.severity, 'blocks');
    assert.equal(words(finding?.evidence), 'Deactivated <2026-02-01T10:00:00.000Z> by {operator-1}.');
    const [before] = findingsFor({ identity: inactive, stateRecord: { ...stateRecord, details: { state: 'active' } } });
    assert.match(words(before?.evidence), /^Deactivated <2026-01-31.*\. .*records do not say by whom\.$/);
  });

  it('include each lock of an identifier, with or without an end', () => {
    const lock = { id: 'x', identifier: 'ada@example.org', reason: 'wrong_password', attempts: 5, trigger_ip: null };
    const account = { ...lock, id: 'y', identifier: '+47', locked_at: AT, locked_until: '2026-03-01T00:00:00.000Z' };
    const findings = findingsFor({ locks: [{ ...lock, locked_at: AT, locked_until: null }, account] });
    assert.deepEqual(brief(findings), ['blocks: ada@example.org is locked', 'blocks: +47 is locked']);
    assert.equal(words(findings[0]?.evidence), `[wrong_password], locked <${AT}>, until it is unlocked.`);
    assert.equal(words(findings[1]?.evidence), `[wrong_password], locked <${AT}>, ends <2026-03-01T00:00:00.000Z>.`);
    assert.deepEqual(findings[1]?.help, { act: 'unlock', account });
  });

  it('include a missing or uncertain first factor', () => {
    for (const [credentials, expected] of [
      [[credential('password', { set: false })], ['blocks: They have no way to sign in']],
      [[credential('totp')], ['blocks: They have no way to sign in', 'note: A second factor is set up']],
      [[credential('code')], ['may-block: They can sign in only with: One-time code']],
      [[credential('passkey')], []],
    ] as const)
      assert.deepEqual(brief(findingsFor({ credentials })), expected);
  });

  describe('about a provider that Connections do not offer', () => {
    const setting = (key: string, value: string, updated_at: string) =>
      ({ key: `social.${key}`, value, encrypted: false, updated_at }) as Setting;
    const offSince = (updated_at: string, name = 'google', id = setting(`${name}.client_id`, 'id', ago(900))) => [
      setting(`${name}.enabled`, 'false', updated_at),
      setting(`${name}.client_secret`, 'secret', ago(900)),
      id,
    ];
    const off = offSince(ago(60));
    const emptied = offSince(ago(60), 'google', setting('google.client_id', ' ', ago(10)));
    const by = (provider: string, minutes: number, more: Partial<IdentitySession> = {}) => ({
      ...session(ago(minutes)),
      ...{ authentication_methods: [{ method: 'oidc', provider, completed_at: ago(minutes) }], ...more },
    });
    const logged = (provider: string, minutes: number): { attempts: Attempts } => {
      const event = signInEvent(ago(minutes), { event: 'LoginSucceeded', method: 'oidc', provider, reason: null });
      const rest = { completeSince: undefined, lastSignIn: event, coverage: coverageSince(ago(900)) };
      return { attempts: { events: [event], ...rest } };
    };
    const [isOff, isUnknown] = ['is google, which is switched off in', 'is google, which is not in'];
    const [isEmptied, second] = ['is google, which is not fully set up in', 'of them github, which is switched off in'];
    const ofBoth = { credentials: [social('google:1', 'github:2')] };

    for (const [title, expected, first, settings, sessions, more = {}] of [
      ['off, signed in with it since', 'yes-but', isOff, off, [by('google', 59)]],
      ['off, signed in with it at that moment', 'maybe-not', isOff, off, [by('google', 60)]],
      ['off, signed in with another one since', 'maybe-not', isOff, off, [by('github', 5)]],
      ['off, the session has ended', 'yes-but', isOff, off, [by('google', 5, { active: false })]],
      ['off, refreshed since', 'maybe-not', isOff, off, [by('google', 61, { authenticated_at: ago(5) })]],
      ['off, sessions unreadable', 'maybe-not', isOff, off, undefined],
      ['off, signed in by the log', 'yes-but', isOff, off, [], logged('google', 5)],
      ['off since an unknown time', 'maybe-not', isOff, offSince(''), [by('google', 5)]],
      ['the switch is missing', 'maybe-not', isOff, off.slice(1), [by('google', 5)]],
      ['without settings, signed in with it', 'yes-but', isUnknown, [], [by('google', 600)]],
      ['without settings, signed in long ago', 'maybe-not', isUnknown, [], [by('google', 60 * 24 * 60)]],
      ['emptied after the sign-in', 'maybe-not', isEmptied, emptied, [by('google', 30)]],
      ['two off', 'yes-but', second, [...off, ...offSince(ago(60), 'github')], [by('github', 5)], ofBoth],
    ] as [string, Verdict, string, Setting[], IdentitySession[] | undefined, Partial<Evidence>?][])
      it(`are at most a doubt: ${title}`, () => {
        const providers = providerStates(['google', 'github'], [], settings);
        const evidence = { ...NO_PROBLEM, sessions, providers, credentials: [social('google:1')], ...more };
        const findings = diagnose(evidence);
        assert.equal(verdictOf(findings, evidence), expected);
        assert.ok(findings[0]?.title.endsWith(`${first} Connections`), findings[0]?.title);
        assert.equal(/They signed in with it <.*>/.test(words(findings[0]?.evidence)), expected === 'yes-but');
      });
  });

  it('include an unverified address and a missing recovery address', () => {
    const withoutAddresses = { ...identity, recovery_addresses: [], verifiable_addresses: [] };
    assert.deepEqual(brief(findingsFor({ identity: withoutAddresses })), [
      'note: They cannot recover the account themselves',
    ]);
    const address = { value: 'ada@example.org', via: 'email', verified: false };
    assert.deepEqual(brief(findingsFor({ identity: { ...identity, verifiable_addresses: [address] } })), [
      'may-block: Their address is not verified',
    ]);
    const oneVerified = [address, { ...address, value: 'a@example.org', verified: true }];
    assert.deepEqual(brief(findingsFor({ identity: { ...identity, verifiable_addresses: oneVerified } })), []);
  });

  it('do not block a person who has signed in since the problem began', () => {
    const address = { value: 'ada@example.org', via: 'email', verified: false };
    const unverified = { ...identity, verifiable_addresses: [{ ...address, created_at: ago(60) }] };
    for (const [more, verdict] of [
      [{ sessions: [session(ago(21))] }, 'yes-but'],
      [{ sessions: [session(ago(90))] }, 'maybe-not'],
      [{ sessions: undefined }, 'maybe-not'],
      [{ sessions: [session(ago(21))], messages: [message('abandoned', 10)] }, 'maybe-not'],
      [{ sessions: [session(ago(21))], credentials: [] }, 'no'],
    ] as const) {
      const evidence = { ...NO_PROBLEM, identity: unverified, ...more };
      assert.equal(verdictOf(diagnose(evidence), evidence), verdict, JSON.stringify(more));
    }
    assert.equal(verdictOf(diagnose(NO_PROBLEM), NO_PROBLEM), 'no-problems');
  });

  it('include failed attempts since the last sign-in, by reason, and when there was none that names the person', () => {
    const [first, second] = [signInEvent(ago(4)), signInEvent(ago(3))];
    const before = signInEvent(ago(6));
    const code = signInEvent(ago(2), { reason: 'code_invalid', method: 'code', ip: null, place: null, device: null });
    const refused = signInEvent(ago(1), { event: 'SettingsFailed' });
    const gap = { cause: 'not_listening' as const, detail: '', from: ago(4), to: ago(3), count: 0 };
    const early = { ...gap, from: ago(9), to: ago(8) };
    const ofHydra = { ...gap, cause: 'silent' as const, detail: 'hydra' };
    const late = coverageSince(ago(60));
    for (const source of late.sources) source.last_at = ago(2_000);
    const inactive = { ...identity, state: 'inactive' };
    const [none, missing] = ['note: No attempt that can be assigned to them', 'note: Attempts may be missing'];
    for (const [events, gaps, more, expected] of [
      [[refused, second, first, before], [], {}, ['may-block: Wrong password, 2 times']],
      [[code, first], [], {}, ['may-block: Wrong or expired code', 'may-block: Wrong password']],
      [[second, first], [], { completeSince: second.at }, ['may-block: Wrong password']],
      [[first], [], { identity: { ...identity, state_changed_at: ago(3) } }, [none]],
      [[], [], { coverage: late }, [missing]],
      [[refused, before], [early, ofHydra], {}, [none]],
      [[refused, before], [gap], {}, [missing]],
      [[], [], { coverage: coverageSince(null) }, []],
      [[], [], { identity: inactive }, ['blocks: The identity is inactive']],
      [[signInEvent(ago(1), { event: 'LoginSucceeded' })], [], {}, [none]],
    ] as const) {
      const { identity: person = identity, ...others } = more as Partial<Attempts & Evidence>;
      const coverage = coverageSince(ago(60), { gaps: [...gaps] });
      const attempts = { events, completeSince: undefined, lastSignIn: undefined, coverage, ...others };
      const findings = findingsFor({ identity: person, attempts });
      assert.deepEqual(brief(findings), expected);
      const [finding] = findings;
      const said = words(finding?.evidence);
      if (finding?.id !== 'inactive' && finding !== undefined)
        assert.match(said, /Attempts with a mistyped identifier are not included\./);
      assert.equal(
        /Some may be missing: the log has 1 gap/.test(said),
        gaps.some((one) => one === gap),
        said,
      );
      if (events[1] === second)
        assert.match(
          said,
          /^Last <.*>, reported from 203\.0\.113\.9 · Berlin, Germany · Chrome on macOS\. No sign-in since </,
        );
    }
  });

  it('count a sign-in of the log whose session is gone', () => {
    const address = { value: 'ada@example.org', via: 'email', verified: false, created_at: ago(60) };
    const lastSignIn = signInEvent(ago(30), { event: 'LoginSucceeded' });
    const attempts = { events: [lastSignIn], completeSince: undefined, lastSignIn, coverage: coverageSince(ago(90)) };
    const evidence = { ...NO_PROBLEM, identity: { ...identity, verifiable_addresses: [address] }, attempts };
    for (const [sessions, reported] of [
      [[], lastSignIn],
      [[session(ago(40))], lastSignIn],
      [[session(lastSignIn.at)], undefined],
    ] as const) {
      assert.equal(verdictOf(diagnose({ ...evidence, sessions }), { ...evidence, sessions }), 'yes-but');
      assert.equal(lastReported({ sessions, attempts }), reported);
    }
  });

  it('include an abandoned message, with the courier’s reason', () => {
    const [finding] = findingsFor({ messages: [message('abandoned', 10)], courierReason: '550 User unknown' });
    assert.equal(finding?.title, 'The last message to them was not delivered');
    assert.match(
      words(finding?.evidence),
      /^Recovery code to ada@example\.org, written <.*>, abandoned .*: “550 User unknown”$/,
    );
  });

  it('include an abandoned message only if it is the latest message and at most thirty days old', () => {
    assert.deepEqual(findingsFor({ messages: [message('sent', 5, 'login_code_valid'), message('abandoned', 10)] }), []);
    assert.deepEqual(findingsFor({ messages: [message('abandoned', 31 * 24 * 60)] }), []);
  });
});
