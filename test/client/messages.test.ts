import assert from 'node:assert/strict';
import { asMessage } from '../../client/api/message-record.ts';
import type { ListedMessage } from '../../client/api/messages.ts';
import { latestOf, messageAddresses } from '../../client/features/identities/detail/message-addresses.ts';
import { bodySearch } from '../../client/features/messages/body/body-view.ts';
import { formatProgress } from '../../client/features/messages/detail/format-delivery.ts';
import { messagesSearch } from '../../client/features/messages/message-resource.ts';
import { formatChannel, formatTemplate, messageStatus } from '../../client/format/message.ts';

const MESSAGE = {
  id: '9f425a8d-7efc-4768-8f23-7647a74fdf13',
  status: 'abandoned',
  type: 'email',
  recipient: 'ada@example.org',
  subject: 'Hello',
  body: 'A code',
  template_type: 'recovery_code_valid',
  channel: 'email',
  send_count: 2,
  created_at: '2026-01-31T09:00:00Z',
  updated_at: '2026-01-31T09:00:01Z',
};
const failing = (error: unknown) => ({ id: 'x', status: 'failed', error, created_at: '2026-01-31T09:00:00Z' });
const listed = (id: string, created: string): ListedMessage => ({
  id,
  created,
  status: 'sent',
  recipient: 'a',
  channel: 'email',
  template: 'x',
  attempts: 1,
});

describe('a message of the courier', () => {
  for (const [reason, shown] of [
    ['dial tcp 127.0.0.1:1025: connect: connection refused', 'dial tcp …: connect: connection refused'],
    ['dial tcp: lookup smtp.corp.example on 10.0.0.2:53: no such host', 'dial tcp: lookup … on …: no such host'],
    ['dial tcp [::1]:25: i/o timeout', 'dial tcp …: i/o timeout'],
    ['post https://key:secret@mail.example/send: EOF', 'post … EOF'],
    ['dial tcp mailhog:1025: refused', 'dial tcp …: refused'],
    ['550 5.1.1 Recipient address rejected: User unknown', '550 5.1.1 Recipient address rejected: User unknown'],
  ] as const)
    it(`says why it failed without the mail server: ${reason}`, () => {
      const { deliveries, document } = asMessage({
        ...MESSAGE,
        dispatches: [failing({ code: 500, reason, deep: [{ reason }] })],
      });
      assert.equal(deliveries[0]?.reason, shown);
      if (shown !== reason) assert.ok(!JSON.stringify(document).includes(reason));
    });

  it('is read with errors of any shape, in the order of the tries', () => {
    const later = { ...failing('late'), created_at: '2026-01-31T09:00:05Z' };
    const { deliveries } = asMessage({
      ...MESSAGE,
      dispatches: [later, failing({ message: 'm' }), failing(7), null, 'x'],
    });
    assert.deepEqual(
      deliveries.map(({ reason }) => reason),
      ['m', undefined, 'late'],
    );
    assert.deepEqual(asMessage({ ...MESSAGE, dispatches: 'x' }).deliveries, []);
  });

  it('has neither subject nor body where the service hides them', () => {
    const hidden = '<redacted-unless-dev-mode>';
    const { subject, body } = asMessage({ ...MESSAGE, subject: hidden, body: hidden });
    assert.deepEqual([subject, body], [undefined, undefined]);
    assert.equal(asMessage({ ...MESSAGE, body: '' }).body, '');
  });

  for (const body of [null, [], 'x', { id: 5 }])
    it(`is refused where it is none: ${JSON.stringify(body)}`, () =>
      assert.throws(() => asMessage(body), /not a message/));

  it('is named in words; what is not known stands as it is', () => {
    assert.equal(formatTemplate('recovery_code_valid'), 'Recovery code');
    assert.equal(formatTemplate('constructor'), 'constructor');
    assert.equal(formatTemplate(''), 'Message');
    assert.equal(messageStatus('abandoned').dot, 'bad');
    assert.deepEqual(messageStatus('toString'), { label: 'toString', dot: 'off' });
    assert.equal(formatChannel('sms'), 'Text message');
    assert.match(formatProgress({ status: 'abandoned', attempts: 3 }), /^The courier gave up after 3 attempts/);
  });
});

describe('the address of the messages', () => {
  it('carries a known status and a recipient as it is typed, and nothing else', () => {
    assert.deepEqual(
      messagesSearch({ status: 'sent', recipient: ' Ada@Example.org ', page_token: 'nope', page_size: '50' }),
      {
        status: 'sent',
        recipient: 'Ada@Example.org',
        page_size: 50,
      },
    );
    assert.deepEqual(messagesSearch({ status: 'SENT', recipient: ' ', page_size: '7' }), {});
  });

  it('of one carries how its body is shown, text being the default', () => {
    assert.deepEqual(bodySearch({ as: 'source' }), { as: 'source' });
    assert.deepEqual(bodySearch({ as: 'text' }), { as: undefined });
    assert.deepEqual(bodySearch({ as: '<script>' }), { as: undefined });
  });
});

describe("an identity's own messages", () => {
  it('are those to its addresses, each asked for once', () => {
    const address = (value: string) => ({ value, via: 'email', verified: false });
    assert.deepEqual(
      messageAddresses({
        verifiable_addresses: [address('a@x'), address('+47'), address('')],
        recovery_addresses: [address('a@x'), address('b@x')],
        credentials: { code: { identifiers: ['b@x', '+48', 5] }, password: { identifiers: ['nickname'] } },
      }),
      ['a@x', '+47', 'b@x', '+48'],
    );
    assert.deepEqual(messageAddresses({}), []);
    assert.deepEqual(messageAddresses({ credentials: { code: { identifiers: 'x' } } }), []);
  });

  it('stand in one list, the newest first, whatever their fractions of seconds', () => {
    const [old, middle, latest] = [
      listed('1', '2026-01-31T09:00:00Z'),
      listed('2', '2026-01-31T09:00:00.5Z'),
      listed('3', '2026-01-31T09:00:01Z'),
    ];
    assert.deepEqual(
      latestOf([
        [latest, old],
        [middle, latest],
      ]).map(({ id }) => id),
      ['3', '2', '1'],
    );
  });
});
