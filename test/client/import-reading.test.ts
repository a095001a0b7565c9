import assert from 'node:assert/strict';
import { checkFile } from '../../client/features/identities/transfer/check-identity.ts';
import { readCsv } from '../../client/features/identities/transfer/csv.ts';
import { fingerprintOf } from '../../client/features/identities/transfer/import-progress.ts';
import { readNdjson } from '../../client/features/identities/transfer/read-identities.ts';
import { type TransferFormat, textOf } from '../../client/features/identities/transfer/transfer-file.ts';
import { personChecker } from '../support/import-runs.ts';

const checker = personChecker();

async function read(format: TransferFormat, content: string | Uint8Array<ArrayBuffer>) {
  const found = [];
  for await (const { line, identity, problems } of checkFile(new Blob([content]), { format }, checker))
    found.push({ line, identity, problems });
  return found;
}

/** A file that the browser reads in pieces of this size. */
function inPieces(bytes: Uint8Array<ArrayBuffer>, size: number): Blob {
  let start = 0;
  const stream = new ReadableStream<Uint8Array<ArrayBuffer>>({
    pull(controller) {
      controller.enqueue(bytes.slice(start, start + size));
      start += size;
      if (start >= bytes.length) controller.close();
    },
  });
  return Object.assign(new Blob([bytes]), { stream: () => stream });
}

const problemsIn = async (format: TransferFormat, content: string) =>
  (await read(format, content)).map(({ line, problems }) => [line, ...problems]);

describe('a CSV file to import', () => {
  const person = { schema_id: 'person', traits: { email: 'a@b.example' } };

  for (const [title, content] of [
    ['with a byte order mark', '\uFEFFtraits.email\r\na@b.example\r\n'],
    ['with semicolons, as spreadsheets write in half of Europe', 'traits.email;traits.age\na@b.example;\n'],
    ['with carriage returns alone', 'traits.email\ra@b.example\r'],
    ['with empty rows', 'traits.email,state\n,\n\na@b.example,\n,'],
    ['with columns that the store makes', 'id,created_at,traits.email\n9f42,2026,a@b.example\n'],
    ['below the separator that Excel wants said', 'sep=;\r\ntraits.email\r\na@b.example\r\n'],
    ['below a separator of its own', 'sep=|\ntraits.email|traits.age\na@b.example|\n'],
    ['below the version of a template', 'version:v1.0\ntraits.email,traits.age\na@b.example,\n'],
    ['below a title with commas', 'Staff, Ulm, 2026;;\n\ntraits.email;traits.age\na@b.example;\n;\n'],
    ['with rows that are too short', 'traits.email,state,external_id\na@b.example\n'],
  ] as const) {
    it(`is read ${title}`, async () => {
      const [found, ...others] = await read('csv', content);
      assert.deepEqual({ ...found, line: 0 }, { line: 0, identity: person, problems: [] });
      assert.deepEqual(others, []);
    });
  }

  it('counts lines, not rows', async () => {
    const content = 'traits.email,metadata_public\n\n"x","two\nlines"\ny,\n';
    assert.deepEqual(
      (await read('csv', content)).map(({ line }) => line),
      [3, 5],
    );
  });

  it('keeps digits as text if the schema requires text', async () => {
    const [found] = await read('csv', 'schema_id,traits.email,traits.zip,traits.age\nperson,a@b.example,12345,42\n');
    assert.deepEqual(found?.identity.traits, { email: 'a@b.example', zip: '12345', age: 42 });
    assert.deepEqual(found?.problems, []);
  });

  it('is read in chunks of any size', async () => {
    const row = (index: number) => `ü😀${index}@b.example,"a ""b""\r\n,c"\r\n`;
    const bytes = new TextEncoder().encode(`traits.email,traits.zip\r\n${row(0)}${row(1)}${row(2)}`);
    for (let size = 1; size < 40; size += 1) {
      const found = [];
      const file = inPieces(bytes, size);
      for await (const { line, identity, problems } of checkFile(file, { format: 'csv' }, checker))
        found.push([line, identity.traits, problems]);
      assert.deepEqual(
        found,
        [2, 4, 6].map((line, index) => [line, { email: `ü😀${index}@b.example`, zip: 'a "b"\r\n,c' }, []]),
        `pieces of ${size} bytes`,
      );
    }
  });

  for (const [title, content, message] of [
    ['names an unknown column', 'traits.email,name\nx,y\n', /The column “name” is unknown/],
    ['names a column twice', 'traits.email,traits.email\nx,y\n', /“traits.email” appears twice/],
    ['has no traits', 'schema_id,state\nperson,active\n', /No column contains traits/],
    [
      'never closes a quotation mark',
      'traits.email\na@b.example\n"c@d.example\ne@f.example\n',
      /on line 3 is never closed/,
    ],
  ] as const) {
    it(`is rejected as a whole when it ${title}`, async () => {
      await assert.rejects(read('csv', content), { message });
    });
  }

  it('is read in the encodings of spreadsheet programs, in chunks of any size', async () => {
    const content = `traits.email,traits.zip\r\na@b.example,Zoë € Müller é\r\n`;
    const utf16 = (little: boolean) =>
      Uint8Array.from(
        [...`\uFEFF${content}`].flatMap((letter) => {
          const [low, high] = [letter.charCodeAt(0) % 256, letter.charCodeAt(0) >> 8];
          return little ? [low, high] : [high, low];
        }),
      );
    const windows = Uint8Array.from([...content], (letter) => (letter === '€' ? 0x80 : letter.charCodeAt(0)));
    for (const bytes of [utf16(true), utf16(false), windows, new TextEncoder().encode(content)])
      for (const size of [1, 3, bytes.length]) {
        let text = '';
        for await (const piece of textOf(inPieces(bytes, size))) text += piece;
        assert.equal(text, content);
      }
    const [found] = await read('csv', windows);
    assert.deepEqual(found?.identity.traits, { email: 'a@b.example', zip: 'Zoë € Müller é' });
  });

  it('is rejected if it is a workbook or not UTF-8 throughout', async () => {
    const broken = new Uint8Array([...new TextEncoder().encode('traits.email\nü@b.example\n'), 0xe9, 0x0a, 0x0a]);
    for (const bytes of [new TextEncoder().encode('PK\u0003\u0004\u0014\u0000'), broken])
      await assert.rejects(
        async () => {
          for await (const _ of textOf(new Blob([bytes])));
        },
        { message: /not text/ },
      );
  });

  it('has no whitespace around addresses', async () => {
    const [found] = await read('csv', 'traits.email,traits.zip\n"\u202A a@b.example\u00A0\u202C"," 7 "\n');
    assert.deepEqual(found?.identity.traits, { email: 'a@b.example', zip: ' 7 ' });
    assert.deepEqual(found?.problems, []);
  });
});

describe('an NDJSON file to import', () => {
  it('reports lines that are not identities, and reads the others', async () => {
    const lines = [
      '{"traits":{"email":"a@b.example"}}',
      '',
      'not json',
      '[1]',
      '7',
      '{"traits":{"email":"c@d.example"}}\r',
    ];
    assert.deepEqual(await problemsIn('ndjson', lines.join('\n')), [
      [1],
      [3, 'This line is not JSON.'],
      [4, 'This line is not a JSON object.'],
      [5, 'This line is not a JSON object.'],
      [6],
    ]);
  });

  it('is rejected as a whole if it is a single array', async () => {
    await assert.rejects(read('ndjson', '[{"traits":{}}]'), { message: /a single JSON array/ });
  });
});

describe('a file without line breaks', () => {
  const readers = { csv: readCsv, ndjson: readNdjson };
  /** A beginning followed by endless letters; a reader must stop long before a row gets this long. */
  async function* endless(beginning: string, pieces: { read: number }): AsyncGenerator<string> {
    yield beginning;
    for (; pieces.read < 200; pieces.read += 1) yield 'a'.repeat(50_000);
  }
  for (const [format, read] of Object.entries(readers)) {
    it(`is rejected after its first megabyte: ${format}`, async () => {
      const pieces = { read: 0 };
      await assert.rejects(read(endless('', pieces), checker.columns).next(), {
        message: /^The first row of this file is longer than 1 MB/,
      });
      assert.equal(pieces.read, 20);
    });

    it(`is rejected after four megabytes in a later row: ${format}`, async () => {
      const pieces = { read: 0 };
      const records = read(endless(format === 'csv' ? 'traits.email\n"' : '{}\n', pieces), checker.columns);
      await assert.rejects(
        async () => {
          for await (const _ of records);
        },
        { message: /^A quotation mark on line 2 is never closed|^Line 2 is longer than 4 MB/ },
      );
      assert.equal(pieces.read, 80 - (format === 'csv' ? 1 : 0));
    });
  }
});

describe('the fingerprint of a file', () => {
  it('is the same only for the same content', async () => {
    const big = new Uint8Array(5_000_000).fill(7);
    const fingerprintIn = (bytes: Uint8Array<ArrayBuffer>, name: string) => fingerprintOf(new File([bytes], name));
    const seen = new Set([await fingerprintIn(big, 'a.csv'), await fingerprintIn(big, 'renamed.csv')]);
    for (const index of [0, 1, 4_194_303, 4_194_304, 4_999_999])
      seen.add(await fingerprintIn(big.with(index, 8), 'a.csv'));
    assert.equal(seen.size, 6);
  });
});
