import assert from 'node:assert/strict';
import fc from 'fast-check';
import { decodeTraces, MalformedRequest } from '../../server/events/decode.ts';
import { recordedRequests } from '../support/otlp.ts';
import { seeded } from '../support/seeded.ts';

const many = seeded(2_000);
const anyBody = fc.constantFrom(...recordedRequests.values());

it(`the decoder of events returns or throws MalformedRequest, whatever a request contains (seed ${many.seed})`, async () => {
  const property = fc.asyncProperty(anyBody, fc.nat(), fc.uint8Array({ maxLength: 40 }), async (body, at, added) => {
    const changed = [body.subarray(0, at % body.length), added, body.subarray((at % body.length) + (at % 41))];
    const decoded = decodeTraces(Buffer.concat(changed), () => new Set(['Reason']), assert.ok);
    await decoded.catch((error: unknown) => assert.ok(error instanceof MalformedRequest, String(error)));
  });
  await fc.assert(property, many);
});
