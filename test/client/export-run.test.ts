import assert from 'node:assert/strict';
import { nextToken } from '../../client/api/cursor-page.ts';
import type { StoredPage } from '../../client/api/identity-batches.ts';
import { ConnectionError, RequestError } from '../../client/api/request.ts';
import { ndjsonWriter } from '../../client/features/import-export/export-identities.tsx';
import { PORTABLE_MEMBERS } from '../../client/features/import-export/portable-identity.ts';
import { startExport } from '../../client/list/export.tsx';

const notAborted = new AbortController().signal;
const noWait = async (): Promise<void> => {};
const identity = (index: number) => ({ schema_id: 'person', traits: { index } });

/** Returns one of three pages, each with two identities. */
const page = (token: string | undefined): StoredPage => {
  const start = Number(token ?? 0);
  return { rows: [identity(start), identity(start + 1)], next: start < 4 ? String(start + 2) : undefined };
};
const numbersIn = async (file: Blob): Promise<number[]> =>
  (await file.text())
    .trim()
    .split('\n')
    .map((line) => (JSON.parse(line) as ReturnType<typeof identity>).traits.index);

const WRITER = ndjsonWriter(PORTABLE_MEMBERS);

describe('an export', () => {
  it('reads all pages one after another, and reports the number of rows so far', async () => {
    const progress: number[] = [];
    const exporting = startExport(WRITER, async (token) => page(token));
    assert.equal(await exporting.run(notAborted, (count) => void progress.push(count)), 'complete');
    assert.deepEqual(progress, [2, 4, 6]);
    assert.deepEqual(await numbersIn(exporting.file()), [0, 1, 2, 3, 4, 5]);
  });

  it('waits for a service that is down, and reads no page twice', async () => {
    let failures = 2;
    const exporting = startExport(
      WRITER,
      async (token) => {
        if (token === '2' && failures > 0) {
          failures -= 1;
          throw new ConnectionError(true, undefined);
        }
        return page(token);
      },
      noWait,
    );
    assert.equal(await exporting.run(notAborted, () => {}), 'complete');
    assert.deepEqual(await numbersIn(exporting.file()), [0, 1, 2, 3, 4, 5]);
  });

  it('continues at the failed page when it is run again', async () => {
    let fails = true;
    const exporting = startExport(WRITER, async (token) => {
      if (token === '4' && fails) throw new RequestError({ status: 500, code: 'upstream_error', message: 'broken' });
      return page(token);
    });
    await assert.rejects(
      exporting.run(notAborted, () => {}),
      { message: 'broken' },
    );
    assert.equal(exporting.progress().rows, 4);
    fails = false;
    assert.equal(await exporting.run(notAborted, () => {}), 'complete');
    assert.deepEqual(await numbersIn(exporting.file()), [0, 1, 2, 3, 4, 5]);
  });

  it('stops, and says why, if the list does not end, and writes no page twice when it is run again', async () => {
    for (const [next, message, exported] of [
      [(token = '2') => token, /returned the same page twice/, 1],
      [(token = '0') => `${Number(token) + 1}`, /more than 20,000 pages/, 19_999],
    ] as const) {
      const exporting = startExport(WRITER, async (token) => ({ rows: [identity(0)], next: next(token) }));
      const run = () => exporting.run(notAborted, () => {});
      await assert.rejects(run(), { message });
      await assert.rejects(run(), { message });
      assert.equal(exporting.progress().rows, exported);
    }
  });

  it('is complete after two empty pages in a row, unless their rows were left out', async () => {
    for (const leftOut of [0, 1]) {
      let pages = 0;
      const next = () => (++pages < 5 ? `${pages}` : undefined);
      const exporting = startExport(WRITER, async () => ({ rows: [], leftOut, next: next() }));
      assert.equal(await exporting.run(notAborted, () => {}), 'complete');
      assert.equal(pages, leftOut === 0 ? 2 : 5);
    }
  });
});

describe('the cursor of the next page', () => {
  for (const [title, link, token] of [
    [
      'is read from the Link header of the identity service',
      '</admin/identities?page_size=2&page_token=0000>; rel="first",</admin/identities?page_size=2&page_token=9f42>; rel="next"',
      '9f42',
    ],
    ['is decoded from its percent-encoding', '</x?page_token=a%2Bb%3D>; rel="next"', 'a+b='],
    ['is the token alone even if the link names another host', '<https://other.example/y?page_token=t>;rel=next', 't'],
    ['is undefined on the last page', '</x?page_token=0000>; rel="first"', undefined],
  ] as const) {
    it(title, () => assert.equal(nextToken(link), token));
  }
});
