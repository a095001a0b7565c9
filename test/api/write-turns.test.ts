import assert from 'node:assert/strict';
import { EventEmitter } from 'node:events';
import type { Request, Response } from 'express';
import { writeTurns } from '../../server/upstream/proxy/write-turns.ts';
import { until } from '../support/eventually.ts';
import { idOf } from '../support/index-rig.ts';
import { proxiesOfTest } from '../support/proxy-app.ts';
import { type RawConnection, requestHead } from '../support/raw-client.ts';
import { type RecordedRequest, rawResponse } from '../support/raw-upstream.ts';

const ID = idOf(7);
const identity = (id = ID): string => `/api/identity-admin/admin/identities/${id}`;

describe('writes to one identity through the proxies', () => {
  /** The requests that the upstream has received, in order; `respond` is what it responds. */
  let received: { request: RecordedRequest; respond: (bytes?: string) => void }[];

  const proxies = proxiesOfTest({
    handler: (request, socket) => {
      const respond = (bytes = rawResponse('200 OK', [])): void => void socket.write(bytes);
      received.push({ request, respond });
    },
  });
  beforeEach(() => {
    received = [];
  });

  const open = (line: string, headers = ['Content-Length: 0'], body = '') =>
    proxies.open(requestHead(line, headers) + body);
  const untilReceived = (count: number): Promise<void> => until(() => received.length === count);
  /** A request of another connection that does not wait, after which all earlier ones have been handled. */
  async function assertReceivedOnly(count: number): Promise<void> {
    await open(`GET ${identity()}`);
    await untilReceived(count + 1);
    received.pop()?.respond();
  }

  it('are sent one after another, in order, in every spelling and through both prefixes', async () => {
    const lines = [
      `PATCH ${identity()}`,
      `PUT ${identity(ID.toUpperCase())}/`,
      `DELETE ${identity()}/credentials/totp`,
      `DELETE ${identity(ID.replaceAll('-', ''))}`,
      `PATCH ${identity(`urn:uuid:${ID}`).replace('/admin/identities', '/%69dentities')}`,
      `PATCH ${identity().replace('identity-admin', 'iam-identity-admin')}`,
    ];
    const waiting: RawConnection[] = [];
    for (const line of lines) {
      waiting.push(await open(line));
      await assertReceivedOnly(1);
    }
    for (const [index, line] of lines.entries()) {
      await untilReceived(index + 1);
      assert.equal(received[index]?.request.method, line.split(' ')[0]);
      received[index]?.respond(index % 2 === 0 ? undefined : rawResponse('409 Conflict', []));
      assert.equal((await waiting[index]?.response())?.status, index % 2 === 0 ? 200 : 409);
    }
  });

  it('end their turn with the head of the response, and if the caller disconnects or the upstream fails', async () => {
    const line = `PATCH ${identity()}`;
    const first = await open(line);
    await untilReceived(1);
    const [second, third, fourth] = [await open(line), await open(line), await open(line)];
    received[0]?.respond('HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n');
    await untilReceived(2);
    third.close();
    second.close();
    await untilReceived(3);
    received[2]?.respond('not HTTP\r\n\r\n');
    assert.equal((await fourth.response()).status, 500);
    await open(line);
    await untilReceived(4);
    first.close();
  });

  it('do not delay reads, writes to other identities, creations, batches or the end of sessions', async () => {
    await open(`PATCH ${identity()}`);
    await untilReceived(1);
    for (const line of [
      `GET ${identity()}`,
      `PATCH ${identity(idOf(8))}`,
      `DELETE ${identity()}/sessions`,
      'POST /api/identity-admin/admin/identities',
      'PATCH /api/identity-admin/admin/identities',
    ]) {
      const before = received.length;
      await open(line);
      await untilReceived(before + 1);
    }
  });

  it('are delayed at most by PROXY_TIMEOUT_MS if a body stalls', async () => {
    await proxies.restart({ timeoutMs: 200 });
    await open(`PATCH ${identity()}`, ['Content-Length: 2'], '[');
    await untilReceived(1);
    const next = await open(`PATCH ${identity()}`);
    const other = await open(`PATCH ${identity(idOf(8))}`);
    await untilReceived(2);
    received[1]?.respond();
    assert.equal((await other.response()).status, 200);
    await untilReceived(3);
    received[2]?.respond();
    assert.equal((await next.response()).status, 200);
  });

  it('are refused with 503 and Retry-After beyond 64 that wait, and after PROXY_TIMEOUT_MS', async () => {
    await open(`PATCH ${identity()}`);
    await untilReceived(1);
    await Promise.all(Array.from({ length: 64 }, () => open(`PATCH ${identity()}`)));
    await assertReceivedOnly(1);
    const response = await proxies.send(`PATCH ${identity()}`, ['Content-Length: 0']);
    assert.deepEqual([response.status, response.header('retry-after')], [503, ['1']]);
  });

  it('lose nothing at a store that rewrites the whole identity: all of 45 changes to different members remain', async () => {
    let stored: string[] = [];
    proxies.handler = async (request, socket) => {
      const before = stored;
      const member = String(await request.body);
      // Between the read and the write of a store without a lock.
      await new Promise((resolve) => setTimeout(resolve, 2));
      stored = [...before, member];
      socket.write(rawResponse('200 OK', []));
    };
    const patch = (member: string) => proxies.send(`PATCH ${identity()}`, ['Content-Length: 2'], member);
    await Promise.all(Array.from({ length: 45 }, (_, index) => patch(String(index + 10))));
    assert.equal(new Set(stored).size, 45);
  });
});

describe('the turns of writes to identities', () => {
  it('keep at most 1,024 waiting, and none longer than the time limit', async () => {
    const outcomes: string[] = [];
    const turns = writeTurns(100);
    for (let person = 0; person < 17; person += 1)
      for (let nth = 0; nth < 65; nth += 1)
        turns(
          { method: 'PATCH', url: `/admin/identities/${idOf(person)}` } as Request,
          Object.assign(new EventEmitter(), { destroyed: false }) as unknown as Response,
          () => outcomes.push(`turn of ${person}`),
          ({ status }) => outcomes.push(`${status}`),
        );
    assert.deepEqual([outcomes.filter((outcome) => outcome === '503').length, outcomes.length], [64, 17 + 64]);
    await until(() => outcomes.length === 17 * 65);
    // When the first turn of a person ends for its time limit, the next waiting one gets it, and all others are refused.
    assert.equal(outcomes.filter((outcome) => outcome === 'turn of 0').length, 2);
  });
});
