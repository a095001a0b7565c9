import assert from 'node:assert/strict';
import { createServer, request } from 'node:http';
import express from 'express';
import { bodyFields, jsonBody } from '../../server/http/bodies.ts';
import { ApiError, errorHandler } from '../../server/http/errors.ts';
import { ifMatch, pageSizeParameter, pageTokenParameter } from '../../server/http/parameters.ts';
import { PAGE_SIZE_DEFAULT, PAGE_SIZE_MAX, PAGE_TOKEN_MAX_CHARACTERS } from '../../shared/identities.ts';
import { decodeReason, encodeReason, REASON_MAX_CHARACTERS } from '../../shared/reason.ts';
import { silentLog } from '../support/context.ts';
import { listenOnLoopback } from '../support/loopback.ts';
import { ofSuite } from '../support/of-suite.ts';

/** The code and the message of the error that `read` throws. */
function refusal(read: () => unknown): [code: string, message: string] {
  try {
    read();
  } catch (error) {
    assert.ok(error instanceof ApiError);
    return [error.code, error.message];
  }
  return assert.fail('nothing was refused');
}

describe('the page requested of a list', () => {
  it('has a size in digits from 1 to the maximum, and any other is refused', () => {
    assert.equal(pageSizeParameter(undefined), PAGE_SIZE_DEFAULT);
    for (const size of [1, 7, PAGE_SIZE_MAX]) assert.equal(pageSizeParameter(String(size)), size);
    for (const size of ['', '0', String(PAGE_SIZE_MAX + 1), '-1', '+1', '1.5', '1e1', ' 1', '0001', '٣', ['1'], 1])
      assert.equal(refusal(() => pageSizeParameter(size))[0], 'invalid_page_size', String(size));
  });

  it('has no token, or one of limited length without control characters, and any other is refused', () => {
    for (const none of [undefined, '']) assert.equal(pageTokenParameter(none), undefined);
    for (const token of ['x', '🔑'.repeat(PAGE_TOKEN_MAX_CHARACTERS)]) assert.equal(pageTokenParameter(token), token);
    for (const token of ['x'.repeat(PAGE_TOKEN_MAX_CHARACTERS + 1), 'a\nb', 'a\u0085', ['a', 'b'], { a: 'b' }])
      assert.equal(refusal(() => pageTokenParameter(token))[0], 'invalid_page_token');
  });
});

describe('the reason of an operator', () => {
  it('arrives as one line of limited length, whatever was typed', () => {
    const longest = '🔑'.repeat(REASON_MAX_CHARACTERS);
    for (const [typed, received] of [
      ['SUP-1', 'SUP-1'],
      [' Zürich, “now”\n\there: 100% +1 ', 'Zürich, “now” here: 100% +1'],
      ['https://t.example/a?b=1,2#c', 'https://t.example/a?b=1,2#c'],
      ['people\u0000\u007f.csv', 'people .csv'],
      ['\ud83d half', '\ufffd half'],
      [longest, longest],
      [`${longest}🔑`, longest],
      ['', undefined],
      [' \n', undefined],
    ] as const)
      assert.equal(decodeReason(encodeReason(typed)), received, typed);
  });

  it('is ignored unless it is percent-encoded UTF-8 without control characters, given once and not too long', () => {
    const malformed = ['', '%20', 'a b', 'a,b', 'one, two', 'caf\xe9', '%', '%zz', '%ff', '%ed%a0%80', '%00', 'a%0Ab'];
    for (const header of [...malformed, 'x'.repeat(REASON_MAX_CHARACTERS + 1), ['a', 'b'], undefined])
      assert.equal(decodeReason(header), undefined, String(header));
  });
});

describe('the fields of a JSON body', () => {
  it('are refused if the body is not an object or has an unknown field', () => {
    const body = { a: 1 };
    assert.equal(bodyFields(body, ['a', 'b']), body);
    for (const other of [undefined, null, [], 'text', 1])
      assert.deepEqual(
        refusal(() => bodyFields(other, ['a'])),
        ['bad_request', 'The request body must be a JSON object.'],
      );
    const unknown = (name: string): string => refusal(() => bodyFields({ [name]: 1 }, []))[1];
    assert.equal(unknown('x'.repeat(100_000)), `"${'x'.repeat(64)}" is not a known field.`);
    // The message is cut within a surrogate pair.
    assert.equal(unknown(`${'x'.repeat(63)}🔑`).isWellFormed(), true);
  });
});

describe('If-Match', () => {
  const matches = (header: string | undefined): boolean => ifMatch(header)('"1"');

  it('matches if it is absent, an asterisk, or a list with the tag of the resource', () => {
    for (const header of [undefined, '*', ' * ', '"1"', ' "0" , "1"', 'W/"0", "1"'])
      assert.equal(matches(header), true, header);
    for (const header of ['1', '"2"', '"1', 'x"1"', '"1", nonsense', '"1",', '*, "1"', '"a"b", "1"', 'W/"2"'])
      assert.equal(matches(header), false, header);
  });

  it('is refused if it is empty', () => {
    for (const header of ['', ' ']) assert.throws(() => ifMatch(header), { code: 'bad_request' });
  });

  it('matches a tag that a compressing proxy has changed, but never the tag of another version', () => {
    for (const header of ['W/"1"', '"1-gzip"', 'W/"1-gzip"', '"1--gzip"', '"1;gzip"', '"0", "1-br"', '"1-zstd"'])
      assert.equal(matches(header), true, header);
    for (const header of ['"2-gzip"', '"11-gzip"', '"-gzip"', '"1-gzip-br-x"', '"1-GZIP2"', '"1"-gzip'])
      assert.equal(matches(header), false, header);
    for (const header of ['w/"1"', 'WW/"1"']) assert.equal(matches(header), false, header);
  });
});

describe('the JSON body of a request', () => {
  /** The number of requests that have reached a handler. */
  let handled: number;

  const server = ofSuite(() => {
    const app = express();
    app.put('/', jsonBody({ maxKib: 1 }));
    app.use(jsonBody());
    app.use((req, res) => {
      handled += 1;
      res.json({ body: req.body === undefined ? 'none' : req.body });
    });
    app.use(errorHandler(silentLog, () => false));
    return listenOnLoopback(createServer(app));
  });
  beforeEach(() => {
    handled = 0;
  });

  interface Result {
    status: number;
    body: { body?: unknown; error?: string; message?: string };
  }
  const JSON_TYPE = { 'content-type': 'application/json' };

  /** Does not use `fetch`, which adds headers of its own. */
  function send(method: string, headers: Record<string, string>, body: string | Buffer = ''): Promise<Result> {
    const sized = { ...headers, 'content-length': String(Buffer.byteLength(body)) };
    return new Promise((resolve, reject) => {
      const { port } = server;
      request({ port, host: '127.0.0.1', method, headers: sized }, async (res) => {
        const text = Buffer.concat(await res.toArray()).toString();
        resolve({ status: res.statusCode ?? 0, body: JSON.parse(text) });
      })
        .on('error', reject)
        .end(body);
    });
  }

  it('is ignored in a GET or DELETE request, and needs no Content-Type if it is absent', async () => {
    for (const method of ['GET', 'DELETE'])
      assert.deepEqual((await send(method, { 'content-type': 'text/plain' }, 'plain')).body, { body: 'none' });
    assert.deepEqual((await send('POST', {})).body, { body: 'none' });
  });

  const types: Record<string, string>[] = [
    { 'content-type': 'text/plain' },
    {},
    { ...JSON_TYPE, 'content-encoding': 'gzip' },
    ...['latin1', 'utf-7', 'utf-16le', 'utf-32'].map((charset) => ({
      'content-type': `application/json; charset=${charset}`,
    })),
  ];
  for (const headers of types) {
    const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
    it(`is refused with 415 if it is sent with ${lines.join(' and ') || 'no content-type'}`, async () => {
      const result = await send('POST', headers, '{}');
      assert.equal(result.status, 415);
      assert.equal(result.body.error, 'unsupported_media_type');
      assert.equal(handled, 0);
    });
  }

  it('is refused with 400 and the reason if it is not valid JSON or not UTF-8', async () => {
    for (const [body, message] of [
      ['{"key":', 'The request body is not valid JSON.'],
      [Buffer.from('{"value":"caf\xe9"}', 'latin1'), 'The request body is not valid UTF-8.'],
    ] as const) {
      const result = await send('POST', JSON_TYPE, body);
      assert.deepEqual([result.status, result.body.message], [400, message]);
    }
    assert.equal(handled, 0);
  });

  for (const [title, method, limit] of [
    ['512 KiB by default', 'POST', 512 * 1024],
    ['1 KiB on a route with that limit', 'PUT', 1024],
  ] as const)
    it(`is accepted up to ${title}, and refused with 413 beyond that`, async () => {
      const statusFor = async (bytes: number): Promise<number> =>
        (await send(method, JSON_TYPE, JSON.stringify('x'.repeat(bytes - 2)))).status;
      assert.equal(await statusFor(limit), 200);
      assert.equal(await statusFor(limit + 1), 413);
    });

  it('is refused if brackets are nested more than 32 levels deep, but not for brackets in strings or side by side', async () => {
    const nested = (depth: number): string => `${'[{"a":'.repeat(depth / 2)}0${'}]'.repeat(depth / 2)}`;
    for (const body of [nested(32), JSON.stringify(`\\"${'[{'.repeat(99)}`), `[${Array(99).fill('[]').join()}]`])
      assert.deepEqual((await send('POST', JSON_TYPE, body)).body, { body: JSON.parse(body) });
    for (const body of [nested(34), '['.repeat(250_000)]) {
      const result = await send('POST', JSON_TYPE, body);
      assert.deepEqual([result.status, result.body.message], [400, 'The request body is nested too deeply.']);
    }
  });
});
