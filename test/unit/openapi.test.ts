import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { openApi } from '../../docs/openapi/openapi.ts';

const read = (path: string): string => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8');
const { version } = JSON.parse(read('package.json')) as { version: string };

/** The values of all members with the given name, at any depth. */
function valuesOf(name: string, value: unknown): unknown[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) => [...(key === name ? [inner] : []), ...valuesOf(name, inner)]);
}

describe('docs/openapi.json', () => {
  const document = openApi(version);

  it('is what `npm run docs` generates from the table of routes', () => {
    assert.equal(read('docs/openapi.json'), `${JSON.stringify(document, null, 2)}\n`);
  });

  it('has a definition for every $ref', () => {
    const at = (ref: string): unknown =>
      ref
        .replace(/^#\//, '')
        .split('/')
        .reduce<unknown>((value, step) => (value as Record<string, unknown> | undefined)?.[step], document);
    assert.deepEqual(
      valuesOf('$ref', document).filter((ref) => at(String(ref)) === undefined),
      [],
    );
  });
});
