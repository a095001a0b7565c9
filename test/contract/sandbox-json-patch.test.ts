import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { applyPatch, parsePatch } from '../../server/sandbox/json-patch.ts';

interface Recorded {
  about: string;
  document: Record<string, unknown>;
  /** Without a `value` an operation that needs one was asked with `"v"`. */
  rows: { op: string; path: string; value?: unknown; error?: string; result?: unknown }[];
}

const FILE = new URL('../fixtures/json-patch-answers.json', import.meta.url);
const { about, document, rows } = JSON.parse(readFileSync(FILE, 'utf8')) as Recorded;

describe('the sandbox’s JSON Patch against the library of the real services', () => {
  it('is compared by whole rows', () => {
    assert.match(about, /json-patch v5/);
    assert.ok(rows.length > 100);
  });

  it('does not reach prototypes', () => {
    const patch = parsePatch('[{"op":"add","path":"/__proto__/polluted","value":true}]');
    assert.equal(JSON.stringify(applyPatch({}, patch)), '{"__proto__":{"polluted":true}}');
    assert.equal(({} as { polluted?: boolean }).polluted, undefined);
  });

  for (const { op, path, value = 'v', error, result } of rows)
    it(`${op} ${JSON.stringify(path)} ${JSON.stringify(value)}: ${error ?? 'applies'}`, () => {
      const patch = JSON.stringify([{ op, path, ...(op === 'remove' ? {} : { value }) }]);
      const apply = (): unknown => applyPatch(document, parsePatch(patch));
      if (error === undefined) assert.deepEqual(apply(), result);
      else assert.throws(apply, { message: error });
    });
});
