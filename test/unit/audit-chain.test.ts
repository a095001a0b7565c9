import assert from 'node:assert/strict';
import { auditChain, type ChainedRecord } from '../../server/audit/chain.ts';
import type { ActEvent, Timed } from '../../server/audit/event.ts';

const KEY = Buffer.from('the key of this trail');
const OLD = Buffer.from('the key before it');
const START = { sequence: 0, tag: '' };

const act = (actor: string): Timed<ActEvent> => ({
  action: 'setting_write',
  actor,
  target: 'mail.password',
  timestamp: '2026-01-01T00:00:00.000Z',
});

describe('a link of the audit chain', () => {
  const chain = auditChain({ current: KEY });
  const first = chain.link(START, act('ada'));
  const second = chain.link(first, act('bob'));

  it('is valid only after its predecessor', () => {
    assert.equal(chain.problemOf(START, first), undefined);
    assert.equal(chain.problemOf(first, second), undefined);
    assert.match(chain.problemOf(START, second) ?? '', /missing before/);
    const twin = chain.link(START, act('eve'));
    assert.match(chain.problemOf(twin, second) ?? '', /does not follow/);
  });

  const changes: [string, Partial<ChainedRecord>, RegExp][] = [
    ['its text', { record: second.record.replace('bob', 'eve') }, /was changed/],
    ['its tag', { tag: first.tag }, /was changed/],
    ['its action', { action: 'setting_delete' }, /columns differ/],
    ['its actor', { actor: 'eve' }, /columns differ/],
    ['its time', { recorded_at: '2026-01-01T00:00:00.001Z' }, /columns differ/],
    ['its subject', { subject: '' }, /columns differ/],
    ['its key', { key_id: 'unknown0' }, /a key that is not available/],
  ];
  for (const [what, change, problem] of changes)
    it(`shows that ${what} was changed`, () => {
      assert.match(chain.problemOf(first, { ...second, ...change }) ?? '', problem);
    });

  it('of an unavailable key is accepted only if a later record vouches for it and its columns match', () => {
    const later = auditChain({ current: OLD });
    assert.equal(later.knows(second), false);
    assert.equal(later.isGenuine(second), false);
    assert.match(later.problemOf(first, second) ?? '', /a key that is not available/);
    assert.match(later.problemOf(first, second, false) ?? '', /a key that is not available/);
    assert.equal(later.problemOf(first, second, true), undefined);
    assert.match(later.problemOf(first, { ...second, actor: 'eve' }, true) ?? '', /columns differ/);
    assert.match(later.problemOf(first, { ...second, record: 'no JSON' }, true) ?? '', /columns differ/);
    // A key that is available is used all the same.
    assert.match(chain.problemOf(first, { ...second, tag: first.tag }, true) ?? '', /was changed/);
  });

  it('of the previous key is genuine beside the current one', () => {
    const old = auditChain({ current: OLD });
    const both = auditChain({ current: KEY, previous: OLD });
    assert.deepEqual(both.keyIds, { current: chain.keyIds.current, previous: old.keyIds.current });
    assert.equal(chain.keyIds.previous, undefined);
    const link = old.link(START, act('ada'));
    assert.equal(both.isGenuine(link), true);
    assert.equal(both.problemOf(START, link), undefined);
    assert.equal(both.link(START, act('ada')).key_id, chain.keyIds.current);
  });

  it('names its actor in well-formed text that fits the column, and whole in the record', () => {
    const long = 'é'.repeat(200);
    const link = chain.link(START, act(`${long}`));
    assert.equal(link.actor, 'é'.repeat(127));
    assert.equal(JSON.parse(link.record).actor, long);
    assert.equal(chain.problemOf(START, link), undefined);
    assert.equal(chain.link(START, act('a\ud800b')).actor, 'a\ufffdb');
  });
});
