import assert from 'node:assert/strict';
import type { Identity } from '../../client/api/identities-record.ts';
import type { IdentitySession } from '../../client/api/identity-session.ts';
import type { ListedMessage } from '../../client/api/messages.ts';
import { diagnose } from '../../client/features/identities/diagnosis/diagnose.ts';
import { type Evidence, unknownSources } from '../../client/features/identities/diagnosis/evidence.ts';
import type { Finding, Piece } from '../../client/features/identities/diagnosis/finding.ts';
import { providerOf, providerStates } from '../../client/features/identities/diagnosis/provider-states.ts';
import type { AuditRecord } from '../../shared/audit.ts';
import type { IdentityCredential } from '../../shared/identity-credentials.ts';
import type { Setting } from '../../shared/settings.ts';

const AT = '2026-01-31T09:00:00.000Z';

const identity: Identity = {
  id: '7a0c1c1e-3c4f-4c8e-9a55-1c2b3d4e5f60',
  schema_id: 'customer',
  state: 'active',
  traits: { email: 'ada@example.org' },
  metadata_public: null,
  metadata_admin: null,
  verifiable_addresses: [{ value: 'ada@example.org', via: 'email', verified: true }],
  recovery_addresses: [{ value: 'ada@example.org', via: 'email' }],
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
const ago = (minutes: number): string => new Date(Date.now() - minutes * 60_000).toISOString();
const message = (status: string, minutes: number, template = 'recovery_code_valid'): ListedMessage => ({
  id: `message-${minutes}`,
  status,
  recipient: 'ada@example.org',
  channel: 'email',
  template,
  attempts: 3,
  created: ago(minutes),
});

/** Somebody about whom everything is known, and nothing is wrong. */
const WELL: Evidence = {
  identity,
  credentials: [credential('password')],
  sessions: [session(ago(5))],
  locks: [],
  messages: [],
  courierReason: undefined,
  providers: new Map(),
  stateRecord: null,
};
const found = (more: Partial<Evidence>): readonly Finding[] => diagnose({ ...WELL, ...more });
const words = (pieces: readonly Piece[] = []): string =>
  pieces
    .map((piece) => {
      if (typeof piece === 'string') return piece;
      if ('at' in piece) return `<${piece.at}>`;
      return 'actor' in piece ? `{${piece.actor}}` : `[${piece.lock.reason}]`;
    })
    .join('');
const brief = (findings: readonly Finding[]): string[] => findings.map(({ weight, title }) => `${weight}: ${title}`);

describe('what keeps somebody from signing in', () => {
  it('is nothing where all is well, and nothing is unknown', () => {
    assert.deepEqual(found({}), []);
    assert.deepEqual(unknownSources(WELL), []);
  });

  describe('an inactive identity', () => {
    const inactive = { ...identity, state: 'inactive', state_changed_at: AT };
    const record = (state: string): AuditRecord => ({
      sequence: 1,
      timestamp: '2026-02-01T10:00:00.000Z',
      action: 'proxy_write',
      actor: 'operator-1',
      target: null,
      subject: `identity:${identity.id}`,
      details: { state },
    });

    it('names who deactivated it and when, where the trail has it', () => {
      const [finding] = found({ identity: inactive, stateRecord: record('inactive') });
      assert.equal(finding?.weight, 'blocks');
      assert.equal(words(finding?.evidence), 'Deactivated <2026-02-01T10:00:00.000Z> by {operator-1}.');
      assert.deepEqual(finding?.help, { act: 'activate' });
    });

    it('names nobody where the latest record of the trail activated it: somebody else deactivated it since', () => {
      const [finding] = found({ identity: inactive, stateRecord: record('active') });
      assert.match(words(finding?.evidence), /^Deactivated <2026-01-31.*, not through this dashboard/);
    });
  });

  it('is each lock of an identifier, until its end or without one', () => {
    const lock = { id: 'x', identifier: 'ada@example.org', reason: 'wrong_password', attempts: 5, trigger_ip: null };
    const findings = found({
      locks: [
        { ...lock, locked_at: AT, locked_until: null },
        { ...lock, id: 'y', identifier: '+47', locked_at: AT, locked_until: '2026-03-01T00:00:00.000Z' },
      ],
    });
    assert.deepEqual(brief(findings), ['blocks: ada@example.org is locked', 'blocks: +47 is locked']);
    assert.equal(words(findings[0]?.evidence), `[wrong_password], locked <${AT}>, until somebody unlocks it.`);
    assert.equal(words(findings[1]?.evidence), `[wrong_password], locked <${AT}>, ends <2026-03-01T00:00:00.000Z>.`);
    assert.equal(findings[1]?.help?.act, 'unlock');
  });

  for (const [title, credentials, expected] of [
    ['no credential', [], ['blocks: They have nothing to sign in with']],
    [
      'a password that is not set',
      [credential('password', { set: false })],
      ['blocks: They have nothing to sign in with'],
    ],
    [
      'a second factor alone',
      [credential('totp')],
      ['blocks: They have nothing to sign in with', 'note: A second factor is set'],
    ],
    ['a code alone', [credential('code')], ['may-block: They sign in with nothing but: One-time code']],
    ['a passkey', [credential('passkey')], []],
    [
      'a password and backup codes',
      [credential('password'), credential('lookup_secret')],
      ['note: A second factor is set'],
    ],
  ] as const)
    it(`is told for ${title}`, () => {
      assert.deepEqual(brief(found({ credentials })), expected);
    });

  describe('a sign-in provider', () => {
    const of = (credentials: IdentityCredential[], providers: Evidence['providers']) =>
      brief(found({ credentials, providers }));

    it('blocks where it is the only way and switched off, or not set up', () => {
      assert.deepEqual(of([social('google:1')], new Map([['google', 'disabled']])), [
        'blocks: Their only way to sign in is google, which is switched off',
      ]);
      assert.deepEqual(of([social('google:1')], new Map([['google', 'incomplete']])), [
        'blocks: Their only way to sign in is google, which is not set up completely',
      ]);
    });

    it('is offered, disabled, incomplete or unknown by its settings', () => {
      const setting = (key: string, value: string, encrypted = false): Setting =>
        ({ key, value, encrypted, category: 'social', created_at: AT, updated_at: AT }) as unknown as Setting;
      const settings = [
        setting('social.google.client_id', 'id'),
        setting('social.google.client_secret', 'cipher', true),
        setting('social.google.enabled', 'false'),
        setting('social.apple.client_id', ' '),
        setting('social.apple.client_secret', 'cipher', true),
        setting('social.git.client_id', 'id'),
        setting('social.git.client_secret', 'cipher', true),
      ];
      const offered = [{ provider: 'git', display_name: 'Git', enabled: true as const }];
      assert.deepEqual(
        [...providerStates(['google', 'apple', 'git', 'goo'], offered, settings)],
        [
          ['google', 'disabled'],
          ['apple', 'incomplete'],
          ['git', 'offered'],
          ['goo', 'unknown'],
        ],
      );
      assert.deepEqual([...providerStates(['git'], offered, [])], [['git', 'offered']]);
      assert.equal(providerOf('google:a:b'), 'google');
      assert.equal(providerOf('nothing'), '');
    });
  });

  it('is an address that is not verified, and the want of one for recovery', () => {
    const nothing = { ...identity, recovery_addresses: [], verifiable_addresses: [] };
    assert.deepEqual(brief(found({ identity: nothing })), ['note: They cannot recover the account themselves']);
    const address = { value: 'ada@example.org', via: 'email', verified: false };
    assert.deepEqual(brief(found({ identity: { ...identity, verifiable_addresses: [address] } })), [
      'may-block: Their address is not verified',
    ]);
    const both = [address, { ...address, value: 'a@example.org' }];
    assert.deepEqual(brief(found({ identity: { ...identity, verifiable_addresses: both } })), [
      'may-block: None of their addresses is verified',
    ]);
    const one = [address, { ...address, value: 'a@example.org', verified: true }];
    assert.deepEqual(brief(found({ identity: { ...identity, verifiable_addresses: one } })), []);
  });

  describe('messages', () => {
    it('that were abandoned carry the courier’s reason', () => {
      const [finding] = found({ messages: [message('abandoned', 10)], courierReason: '550 User unknown' });
      assert.equal(finding?.title, 'The last message to them was not delivered');
      assert.match(
        words(finding?.evidence),
        /^Recovery code to ada@example\.org, written <.*>, abandoned .*: “550 User unknown”$/,
      );
      assert.deepEqual(finding?.help, { act: 'message', id: 'message-10' });
      assert.match(words(found({ messages: [message('abandoned', 10)] })[0]?.evidence), /no reason that is known/);
    });

    it('count only if they are the last one, of the last thirty days', () => {
      assert.deepEqual(found({ messages: [message('sent', 5, 'login_code_valid'), message('abandoned', 10)] }), []);
      assert.deepEqual(found({ messages: [message('abandoned', 31 * 24 * 60)] }), []);
    });

    it('for recovery are noted until somebody signs in', () => {
      const note = ['note: A recovery message was sent, and nobody has signed in since'];
      const messages = [message('sent', 60)];
      assert.deepEqual(brief(found({ messages, sessions: [session(ago(90))] })), note);
      assert.deepEqual(brief(found({ messages, sessions: [] })), note);
      assert.deepEqual(found({ messages, sessions: [session(ago(90)), session(ago(30), false)] }), []);
      // Whether they signed in is not known.
      assert.deepEqual(found({ messages, sessions: undefined }), []);
    });
  });
});
